#!/bin/sh
# bench.sh - what an audit and a confined start cost: ratios of interleaved medians, in one run
# usage: bench/bench.sh [ROUNDS] [WORKLOAD..]     (make bench); SNUG is the binary
set -eu
cd "$(dirname "$0")/.."
SNUG=${SNUG:-$PWD/build/plain/snug}
export SNUG
exec python3 bench/bench.py "$@"
