#!/bin/sh
# check-globals.sh - fail when an object holds writable data; the log level is the one exception
# profiles/std/ is a program of the build
# usage: tests/check-globals.sh BUILD-DIR
set -eu
bad=$(find "$1/base" "$1/profiles" "$1/enforce" "$1/trace" "$1/learn" "$1/report" "$1/cli" -name '*.o' ! -path '*/std/*' -exec objdump -t {} + 2>/dev/null |
	awk '/file format/ { file = $1 } / \.(data|bss)(\.[a-z_0-9.]+)?\t/ && !/\.data\.rel\.ro/ && / O / { print file " " $NF }' |
	grep -v -e 'base/log\.o: current$' -e ' __odr_asan\.' || :)
[ -z "$bad" ] || { echo "writable data:" >&2; echo "$bad" >&2; exit 1; }
