#!/bin/bash
# extra.sh - suites that build snug another way; TAP
# usage: tests/extra.sh list | STEP
set -u
cd "$(dirname "$0")/.." || exit 1
OUT=${O:-$PWD/build/plain} # test targets, which are the same in every variant
unset O SNUG CC SAN COV MAKEFLAGS MFLAGS MAKELEVEL

quiet_make() { # build, showing only what went wrong
	make -s "$@" >"$log" 2>&1 && return 0
	echo "not ok 1 - make $*"
	grep -v '^  [A-Z]* ' "$log" | tail -40 | sed 's/^/# /'
	echo 1..1
	exit 1
}
log=$(mktemp)
trap 'rm -f "$log"' EXIT

unit_all() { # NAME MAKE-ARGS..: every unit program as one test
	local name=$1 t
	bad=0
	n=0
	shift
	for t in tests/unit/*/*_test.c; do
		n=$((n + 1))
		if CMOCKA_MESSAGE_OUTPUT=TAP "$1/${t%.c}" >"$log" 2>&1; then
			echo "ok $n - ${t%.c} ($name)"
		else
			bad=1
			echo "not ok $n - ${t%.c} ($name)"
			grep -v '^ok ' "$log" | tail -40 | sed 's/^/# /'
		fi
	done
	return $bad
}
# some end-to-end suites against the binary with sanitizers, each as one test
san_e2e() {
	local base dir f
	for base in /srv /opt "${HOME:-/nonexistent}/.cache" /var/tmp; do
		[ -d "$base" ] && [ -w "$base" ] && break
	done
	dir=$(mktemp -d "$base/snug-check.XXXXXX")
	for f in audit_cases audit_run run_view run_host trace_calls; do
		[ -e tests/e2e/$f.bats ] || continue
		n=$((n + 1))
		if env -i PATH="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" HOME="$dir" TMPDIR="$dir" LANG=C.UTF-8 TERM=dumb \
			SNUG="$PWD/build/san/snug" O="$OUT" SRC="$PWD" bats --tap tests/e2e/$f.bats >"$log" 2>&1; then
			echo "ok $n - e2e/$f (sanitizers)"
		else
			bad=1
			echo "not ok $n - e2e/$f (sanitizers)"
			grep -v '^ok ' "$log" | head -60 | sed 's/^/# /'
		fi
	done
	rm -rf "$dir"
}
unit_bins() { # build dir: names of the unit programs, for make
	local t
	for t in tests/unit/*/*_test.c; do echo "$1/${t%.c}"; done
}

case ${1:-} in
list) echo san clang fuzz ;;
san) # shellcheck disable=SC2046
	quiet_make SAN=1 all $(unit_bins build/san)
	unit_all sanitizers build/san && bad=0 || bad=1
	san_e2e
	echo "1..$n"
	exit $bad ;;
clang) # shellcheck disable=SC2046
	quiet_make CC=clang all $(unit_bins build/plain-clang)
	unit_all clang build/plain-clang
	echo "1..$n"
	exit $bad ;;
fuzz)
	quiet_make fuzz-build
	sh tests/fuzz/smoke.sh build/plain/fuzz "${FUZZ_SECONDS:-4}" >"$log"
	rc=$?
	grep -v '^1\.\.' "$log"
	n=$(grep -cE '^(not )?ok ' "$log")
	sh tests/fuzz/coverage.sh build/plain/fuzz >"$log" || rc=1
	# one plan for both lists
	grep -v '^1\.\.' "$log"
	echo "1..$((n + $(grep -cE '^(not )?ok ' "$log")))"
	exit $rc ;;
*) echo "usage: extra.sh list | san | clang | fuzz" >&2; exit 2 ;;
esac
