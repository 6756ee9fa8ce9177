#!/bin/bash
# bite.sh - proof that the leak suite bites: each step and each filter group is left out once, and a check must turn red
#
# usage: make bite      in: SNUG, SNUG_KNOBS (a build with -DSNUG_TEST_KNOBS), O
# Prints the matrix: what was left out, how many checks noticed as root and as an ordinary user, and some of them.
# "no start": without it nothing is started at all (125), which every check notices.
set -u
here=$(cd "$(dirname "$0")" && pwd)
src=$(cd "$here/../.." && pwd)
user=snugtest
# Nothing of these can turn red on this kernel; the unit test named asks the filter itself.
declare -A elsewhere=([filter:younger]="no call younger than snug on this kernel; tests/unit/enforce/filter_test.c"
	[step:watch]="takes nothing from the command: it is watched (run --denials); tests/e2e/denials.bats")
stage=
for dir in /srv /opt "${HOME:-/nonexistent}/.cache"; do [ ! -w "$dir" ] || { stage=$(mktemp -d "$dir/snug-bite.XXXXXX"); break; }; done
[ -n "$stage" ] || { echo "no directory to work in: /srv, /opt, ~/.cache" >&2; exit 1; }
trap 'rm -rf "$stage"' EXIT
chmod 755 "$stage"
mkdir -p "$stage/build/tests/leak" "$stage/tests" "$stage/enforce" "$stage/profiles" "$stage/tmp"
chmod 1777 "$stage/tmp"
cp -r "$here" "$stage/tests/leak"
cp "$src/enforce/step.c" "$stage/enforce/"
cp "$src/profiles/sysgroup.c" "$stage/profiles/"
cp "$SNUG" "$stage/build/snug"
cp "$SNUG_KNOBS" "$stage/build/snug-knobs"
cp "$O/tests/leak/leak" "$stage/build/tests/leak/"
one() { # who COMMAND..: the matrix for this user
	local who=$1
	shift
	"$@" env -i PATH=/usr/local/sbin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 TERM=dumb HOME=/nonexistent USER="$who" TMPDIR="$stage/tmp" \
		O="$stage/build" SNUG="$stage/build/snug" SNUG_KNOBS="$stage/build/snug-knobs" bash "$stage/tests/leak/run.sh" bite
}
if [ "$(id -u)" = 0 ]; then
	id $user >/dev/null 2>&1 || useradd --system --no-create-home --home-dir /nonexistent --shell /bin/sh $user
	one root >"$stage/root" || exit
	one $user setpriv --reuid=$user --regid=$user --clear-groups >"$stage/user" || exit
else
	one "$(id -un)" >"$stage/user" || exit
	sed 's/\t.*/\t-\t/' "$stage/user" >"$stage/root"
fi
bad=0
printf '%-26s %9s %9s  %s\n' 'left out' root user 'noticed by'
while IFS=$'\t' read -r knob n names; do
	IFS=$'\t' read -r _ m more < <(grep -F "$knob"$'\t' "$stage/user")
	[ "$n" != 0 ] && [ "$n" != - ] || names=$more
	if [ "$knob" = nothing ]; then
		names= # all must be green, or the rest says nothing
		[[ $n$m =~ ^[0-]0$ ]] || { names="RED WITHOUT ANY KNOB: $names$more" bad=$((bad + 1)); }
	elif [[ $n =~ ^[0-]$ && $m = 0 ]]; then
		if [ -n "${elsewhere[$knob]:-}" ]; then names=${elsewhere[$knob]}; else names="NOBODY" bad=$((bad + 1)); fi
	fi
	printf '%-26s %9s %9s  %s\n' "$knob" "$n" "$m" "$names"
done <"$stage/root"
[ "$bad" = 0 ] && echo "every step and group is noticed" || echo "$bad are not noticed"
[ "$bad" = 0 ]
