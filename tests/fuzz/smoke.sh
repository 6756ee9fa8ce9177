#!/bin/sh
# smoke.sh - each fuzz target for some seconds over its corpus; TAP
# usage: tests/fuzz/smoke.sh DIR [SECONDS]    DIR holds the built NAME_fuzz programs; the same inputs each time, FUZZ_SEED=N for others
set -u
dir=$1
seconds=${2:-5}
n=0
bad=0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
for src in tests/fuzz/*_fuzz.c; do
	name=$(basename "$src" _fuzz.c)
	n=$((n + 1))
	mkdir -p "$tmp/$name"
	# new inputs go to the first directory, which is thrown away
	if LLVM_PROFILE_FILE=/dev/null "$dir/${name}_fuzz" -max_total_time="$seconds" -seed="${FUZZ_SEED:-1}" -timeout=10 -rss_limit_mb=2048 \
		-max_len=65536 -artifact_prefix="$tmp/" -print_final_stats=0 -verbosity=0 \
		"$tmp/$name" "tests/fuzz/corpus/$name" >"$tmp/log" 2>&1; then
		echo "ok $n - $name for $seconds s"
	else
		bad=1
		echo "not ok $n - $name"
		tail -40 "$tmp/log" | sed 's/^/# /'
		for crash in "$tmp"/crash-* "$tmp"/timeout-* "$tmp"/oom-* "$tmp"/leak-*; do
			[ -e "$crash" ] && echo "# input, base64: $(base64 -w0 "$crash" | head -c 4000)"
		done
		rm -f "$tmp"/crash-* "$tmp"/timeout-* "$tmp"/oom-* "$tmp"/leak-*
	fi
done
echo "1..$n"
exit $bad
