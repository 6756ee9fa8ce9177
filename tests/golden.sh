#!/bin/bash
# golden.sh - every case of tests/golden against what learning says today; make golden-update rewrites them
cases=(tests/golden/*/ops)
exec "${O:-build/plain}/tests/tools/golden" "${cases[@]%/ops}"
