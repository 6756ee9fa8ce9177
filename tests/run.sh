#!/bin/bash
# run.sh - the one test runner: every suite, two at a time; ends with "N passed, N failed, N skipped"
#
# usage: tests/run.sh [PATTERN]     only suites whose name holds PATTERN
# in:    SNUG, O, CC (from make check-built)
#
# A suite is one program that prints TAP. End-to-end suites run as root and as an ordinary user unless
# one of their first lines says otherwise:
#   # as: root user | # as: root | # as: user
# and a single test only as one of them: # bats test_tags=only:root (or only:user) above it.
# A program in tests/tools/ is a suite when its source says "suite: root user" (or root, or user).
# Both kinds run on a copy that any user can read, with a small environment of their own.
set -u
PATH=${PATH:-/usr/bin:/bin}:/usr/local/sbin:/usr/sbin:/sbin
export PATH LC_ALL=C.UTF-8
pattern=${1:-}
root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root" || exit 1
O=${O:-$root/build/plain}
SNUG=${SNUG:-$O/snug}
JOBS=${JOBS:-2}
LIMIT=${SUITE_TIMEOUT:-300}
user=snugtest

# Not below /tmp or /var/tmp, which are private in a confined view: a test's "outside" must be outside.
for base in /srv /opt "${HOME:-/nonexistent}/.cache" /var/tmp /tmp; do
	[ "$base" != "${HOME:-}/.cache" ] || mkdir -p "$base" 2>/dev/null
	[ -d "$base" ] && [ -w "$base" ] && break
done
stage=$(mktemp -d "$base/snug-check.XXXXXX") || exit 1
chmod 755 "$stage"
running=()
cleanup() {
	for pid in "${running[@]}"; do
		# timeout(1) below it hands the signal on to its whole group
		for stat in /proc/[0-9]*/stat; do
			{ read -r child _ _ above _ <"$stat"; } 2>/dev/null || continue
			[ "$above" != "$pid" ] || kill "$child" 2>/dev/null
		done
		kill "$pid" 2>/dev/null
	done
	wait 2>/dev/null
	rm -rf "$stage"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
mkdir "$stage/out" "$stage/tmp" "$stage/home-root" "$stage/home-user"
chmod 1777 "$stage/tmp"

# ---- who runs ------------------------------------------------------------------------------------
am_root=no
no_user=
if [ "$(id -u)" = 0 ]; then
	am_root=yes
	if ! id $user >/dev/null 2>&1; then
		useradd --system --no-create-home --home-dir /nonexistent --shell /bin/sh $user 2>/dev/null ||
			id $user >/dev/null 2>&1 || no_user="cannot create the user $user"
	fi
	[ -n "$no_user" ] || chown $user "$stage/home-user"
fi

# ---- the copy ------------------------------------------------------------------------------------
mkdir "$stage/src" "$stage/build"
tar -C "$root" --exclude=./build --exclude=./.git -cf - . | tar -C "$stage/src" --no-same-owner -xf -
for part in snug tests/targets tests/tools tests/leak; do
	[ -e "$O/$part" ] || continue
	mkdir -p "$stage/build/$(dirname $part)"
	cp -r "$O/$part" "$stage/build/$(dirname $part)/"
done
find "$stage/build" -name '*.[od]' -delete
chmod -R a+rX "$stage/src" "$stage/build"

# Only what a suite needs, plus how this host reaches a package registry (live suites).
suite_env=(PATH="/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" LANG=C.UTF-8 TERM=dumb TMPDIR="$stage/tmp" SNUG="$stage/build/snug"
	O="$stage/build" SRC="$stage/src" PYTHONDONTWRITEBYTECODE=1)
for name in NODE_EXTRA_CA_CERTS SSL_CERT_FILE HTTP_PROXY HTTPS_PROXY http_proxy https_proxy SNUG_OFFLINE SNUG_LONG; do
	[ -n "${!name:-}" ] && suite_env+=("$name=${!name}")
done
if [ -z "${SNUG_OFFLINE:-}" ] && command -v npm >/dev/null 2>&1; then
	suite_env+=("SNUG_LIVE_REGISTRY=$(npm config get registry 2>/dev/null </dev/null)")
fi
# who: root | user | self (the one who started us)
as() {
	local who=$1
	shift
	case $who in
	user)
		if [ $am_root = yes ]; then
			setpriv --reuid=$user --regid=$user --clear-groups \
				env -i -C "$stage/src" "${suite_env[@]}" HOME="$stage/home-user" USER=$user LOGNAME=$user "$@"
		else
			env -i -C "$stage/src" "${suite_env[@]}" HOME="$stage/home-user" USER="$(id -un)" LOGNAME="$(id -un)" "$@"
		fi ;;
	root) env -i -C "$stage/src" "${suite_env[@]}" HOME="$stage/home-root" USER=root LOGNAME=root "$@" ;;
	esac
}

# ---- the suites: "name<TAB>who<TAB>command..." -----------------------------------------------------
suites=()
add() { # name who command...
	local name=$1
	[ -z "$pattern" ] || [[ $name == *"$pattern"* ]] || return 0
	shift
	suites+=("$name"$'\t'"$*")
}
one() { # a check that is one command, as TAP
	if "${@:2}" >&2; then echo "ok 1 - $1"; else echo "not ok 1 - $1"; fi
	echo 1..1
}
whos() { # the accounts a file's header names
	sed -n '1,12s/.*\(as\|suite\): *\(\(root\|user\| \)*\).*/\2/p' "$1" | head -1
}
by_who() { # name file command...: one suite an account; a test tagged only:root is none of the user's, and the reverse
	local name=$1 file=$2 who list
	shift 2
	list=$(whos "$file")
	for who in ${list:-root user}; do
		case $who-$1 in
		root-bats) add "$name ($who)" "$who" bats --filter-tags '!only:user' "${@:2}" ;;
		user-bats) add "$name ($who)" "$who" bats --filter-tags '!only:root' "${@:2}" ;;
		*) add "$name ($who)" "$who" "$@" ;;
		esac
	done
}
add layers self one layers sh tests/check-layers.sh
add headers self one headers make -s check-headers
add globals self one globals sh tests/check-globals.sh "$O"
add docs self one docs sh tests/check-docs.sh
# long ones first, so that two jobs end about together
# checks of whole builds: see tests/extra.sh
if [ -e tests/extra.sh ]; then
	for step in $(bash tests/extra.sh list); do
		add "extra/$step" self bash tests/extra.sh "$step"
	done
fi
for f in tests/e2e/*.bats; do
	[ -e "$f" ] || continue
	n=${f#tests/e2e/}
	by_who "e2e/${n%.bats}" "$f" bats --tap "$stage/src/$f"
done
for who in root user; do add "leak ($who)" $who bash "$stage/src/tests/leak/run.sh"; done
for f in tests/tools/*.c; do
	[ -e "$f" ] && grep -q 'suite: ' "$f" || continue
	n=${f#tests/tools/}
	n=${n%.c}
	by_who "tools/$n" "$f" "$stage/build/tests/tools/$n"
done
for f in tests/golden/run.sh tests/golden.sh; do
	[ ! -e $f ] || add golden self bash $f
done
for f in tests/unit/*/*_test.c; do
	[ -e "$f" ] || continue
	n=${f#tests/}
	add "${n%_test.c}" self env CMOCKA_MESSAGE_OUTPUT=TAP "$O/${f%.c}"
done

# ---- run -----------------------------------------------------------------------------------------
passed=0 failed=0 skipped=0
skips=$stage/skips
: >"$skips"

run_one() { # index: runs in the background, leaves out, rc, time
	local name who cmd start limit=$LIMIT
	IFS=$'\t' read -r name cmd <<<"${suites[$1]}"
	[[ $name != extra/* ]] || limit=$((LIMIT * 2))
	who=${cmd%% *}
	cmd=${cmd#* }
	start=$(date +%s%N)
	case $who in
	self) # shellcheck disable=SC2086 # words without blanks inside
		if [ "${cmd%% *}" = one ]; then $cmd; else timeout -k 5 "$limit" $cmd; fi ;;
	root)
		if [ $am_root = yes ]; then
			# shellcheck disable=SC2086
			as root timeout -k 5 "$limit" $cmd
		else
			echo "ok 1 - all of it # SKIP needs root"
			echo 1..1
		fi ;;
	user)
		if [ -z "$no_user" ]; then
			# shellcheck disable=SC2086
			as user timeout -k 5 "$limit" $cmd
		else
			echo "ok 1 - all of it # SKIP $no_user"
			echo 1..1
		fi ;;
	esac >"$stage/out/$1" 2>"$stage/out/$1.err" </dev/null
	echo "$? $(($(date +%s%N) - start))" >"$stage/out/$1.rc"
}

tell() { # index: count and print one finished suite
	local name rc ns out=$stage/out/$1 ok bad skip plan lines why=
	IFS=$'\t' read -r name _ <<<"${suites[$1]}"
	read -r rc ns <"$out.rc"
	skip=$(grep -ciE '^ok .*# *skip' "$out")
	ok=$(($(grep -c '^ok ' "$out") - skip))
	bad=$(grep -c '^not ok ' "$out")
	plan=$(awk '/^1\.\.[0-9]+/ { n += substr($0, 4) } END { print n + 0 }' "$out")
	lines=$((ok + bad + skip))
	if [ "$rc" = 124 ] || [ "$rc" = 137 ]; then
		why="timed out after ${LIMIT}s"
	elif [ "$lines" = 0 ]; then
		why="ran no test (exit $rc)"
	elif [ "$plan" != $lines ]; then
		why="planned $plan, ran $lines (exit $rc)"
	elif [ "$bad" = 0 ] && [ "$rc" != 0 ]; then
		why="exit $rc"
	fi
	[ -z "$why" ] || bad=$((bad + 1))
	printf '%7.1fs  %-36s %4d passed' "$((ns / 100000000))e-1" "$name" $ok
	[ "$skip" = 0 ] || printf ', %d skipped' "$skip"
	[ "$bad" = 0 ] || printf ', %d FAILED' "$bad"
	[ -z "$why" ] || printf ': %s' "$why"
	echo
	if [ "$bad" != 0 ]; then
		{ cat "$out"; sed 's/^/# /' "$out.err" | tail -60; } | grep -v '^ok ' | sed 's/^/    /' | head -200
	fi
	if [[ $name == leak* ]]; then
		[ "$skip" = 0 ] || echo "$name: $skip checks that cannot bite here, since unconfined they fail too: bash tests/leak/run.sh" >>"$skips"
	else
		grep -iE '^ok .*# *skip' "$out" | sed -E "s/^ok [0-9]+ *-? *//; s|^|$name: |" >>"$skips"
	fi
	passed=$((passed + ok))
	failed=$((failed + bad))
	skipped=$((skipped + skip))
}

declare -A index=()
next=0
while [ $next -lt ${#suites[@]} ] || [ ${#index[@]} -gt 0 ]; do
	while [ $next -lt ${#suites[@]} ] && [ ${#index[@]} -lt "$JOBS" ]; do
		run_one $next &
		index[$!]=$next
		running=("${!index[@]}")
		next=$((next + 1))
	done
	wait -n -p done_pid "${!index[@]}"
	tell "${index[$done_pid]}"
	unset "index[$done_pid]"
	running=("${!index[@]}")
done

if [ -s "$skips" ]; then
	echo
	echo "skipped:"
	sed 's/^/  /' "$skips"
fi
printf 'took %d min %02d s\n' $((SECONDS / 60)) $((SECONDS % 60))
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ] && [ $passed -gt 0 ]
