#!/bin/sh
# coverage.sh - how many lines of each parser its corpus reaches; TAP, fails below 90 %
# usage: tests/fuzz/coverage.sh DIR    DIR holds the built NAME_fuzz programs
#
# A fuzz target names the files it is for in a comment: "covers: trace/recording_in.c base/json.c".
set -u
dir=$1
least=90
n=0
bad=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
for src in tests/fuzz/*_fuzz.c; do
	name=$(basename "$src" _fuzz.c)
	files=$(sed -n 's/.*covers: *\([a-z_0-9./ -]*[a-z_0-9./]\).*/\1/p' "$src")
	n=$((n + 1))
	if [ -z "$files" ]; then
		echo "not ok $n - $name names no file with 'covers:'"
		bad=1
		continue
	fi
	LLVM_PROFILE_FILE="$tmp/$name.raw" "$dir/${name}_fuzz" -runs=0 "tests/fuzz/corpus/$name" >"$tmp/log" 2>&1
	llvm-profdata merge -o "$tmp/$name.prof" "$tmp/$name.raw"
	# shellcheck disable=SC2086 # a list of files
	llvm-cov report "$dir/${name}_fuzz" -instr-profile="$tmp/$name.prof" $files >"$tmp/report" 2>&1
	# columns: file, regions, missed, %, functions, missed, %, lines, missed, %
	percent=$(awk '$1 == "TOTAL" { sub("%", "", $10); printf "%d", $10 }' "$tmp/report")
	if [ "${percent:-0}" -ge $least ]; then
		echo "ok $n - $name: corpus reaches $percent % of the lines of $files"
	else
		bad=1
		echo "not ok $n - $name: corpus reaches ${percent:-0} % of the lines of $files"
		sed 's/^/# /' "$tmp/report"
	fi
done
echo "1..$n"
exit $bad
