#!/bin/bash
# run.sh - the leak suite: every check of MANIFEST unconfined and inside, as TAP; or which of them notice a missing layer
#
# usage: run.sh          TAP: one line for each check
#        run.sh bite     needs SNUG_KNOBS (make knobs): each step and filter group left out, and what turns red
# in:    SNUG, O (as tests/run.sh gives them)
# Anybody may run it. It makes a directory, /tmp/leak-PID and its like, and removes them.
set -u
here=$(cd "$(dirname "$0")" && pwd)
mode=${1:-suite}
# without a terminal, like a service (what needs one gets one below); mounts go with it, and where a layer is left out,
# what root does to the host's name and IPC stays here
if [ -z "${LEAK_DETACHED:-}" ]; then
	export LEAK_DETACHED=1
	[ "$(id -u)" != 0 ] || ! unshare --mount --uts --ipc true 2>/dev/null || exec setsid -w unshare --mount --uts --ipc bash "$0" "$@"
	exec setsid -w bash "$0" "$@"
fi
O=${O:-$here/../../build/plain}
SNUG=${SNUG:-$O/snug}
leak=$O/tests/leak/leak
# not below /tmp or /var/tmp, which are private in a confined view, and may be written
for dir in "${TMPDIR:-/tmp}" /srv /opt "${HOME:-/nonexistent}/.cache"; do
	case $dir in /tmp* | /var/tmp*) continue ;; esac
	mkdir -p "$dir" 2>/dev/null
	[ ! -w "$dir" ] || break
done
S=$(mktemp -d "$dir/leak.XXXXXX") || exit 1
S=$(cd "$S" && pwd -P)
base=$SNUG
helper=
cleanup() {
	[ -z "$helper" ] || kill "$helper" 2>/dev/null
	wait 2>/dev/null
	while umount "$S/swap/bind" 2>/dev/null; do :; done
	rm -rf "$S" "/tmp/leak-$$" "/var/tmp/leak-$$" "/dev/shm/leak-$$"
}
trap cleanup EXIT
trap 'exit 143' TERM INT HUP

# ---- the stage -------------------------------------------------------------------------------------
mkdir -p "$S"/out/dir "$S"/home/.ssh "$S"/proj/{sub,hidden,fenced} "$S"/ro "$S"/svc "$S"/res "$S"/state
chmod 700 "$S/home/.ssh"
for f in out/secret out/sent out/kept out/dir/secret out/moveme out/rw out/stdin home/notes home/.ssh/id proj/file proj/marker proj/sub/env proj/hidden/file \
	proj/fenced/file ro/file; do
	echo SECRET >"$S/$f"
done
cp /bin/true "$S/out/prog"
cp "$leak" "$S/proj/leak"
ln -s ../out/secret "$S/proj/way"
mkfifo "$S/ro/fifo"
for f in "/tmp/leak-$$" "/var/tmp/leak-$$" "/dev/shm/leak-$$"; do echo SECRET >"$f"; done
setuid=
if [ "$(id -u)" = 0 ]; then
	echo SECRET >"$S/ro/private" && chown 65534 "$S/ro/private" && chmod 600 "$S/ro/private"
	cp /bin/cat "$S/proj/setuid" && chown 65534 "$S/proj/setuid" && chmod 4755 "$S/proj/setuid" && setuid=$S/proj/setuid
fi
disk=$(find /dev -maxdepth 1 -type b 2>/dev/null | head -1)
run=$(find /run -maxdepth 2 -type f -readable 2>/dev/null | head -1)
read -r _ _ _ _ pgrp _ <"/proc/$$/stat"
cat >"$S/proj/conf" <<-EOT
	STAGE=$S
	OUT=$S/out
	HOME_=$S/home
	PROJ=$S/proj
	RO=$S/ro
	SVC=$S/svc
	TMPFILE=/tmp/leak-$$
	VARTMPFILE=/var/tmp/leak-$$
	SHMFILE=/dev/shm/leak-$$
	RUNFILE=$run
	DISK=$disk
	HOSTNAME=$(uname -n)
	UID=$(id -u)
	PGRP=$pgrp
	SETUID=$setuid
EOT
printf 'special: { userns: true }\nsyscalls: { allow: [mount, umount2] }\n' >"$S/userns.yaml"
printf 'special: { sys: ro }\n' >"$S/sys.yaml"
printf 'syscalls: { action: kill }\n' >"$S/kill.yaml"
printf 'special: { ptrace: true }\n' >"$S/ptrace.yaml"
cat >"$S/tty.sh" <<-'EOT'
	# in a terminal, with a process of the same group beside the one that is started
	leak=$1 dir=$2
	shift 2
	trap : USR1
	"$leak" member "$dir/hit" &
	member=$!
	{ cat "$dir/conf"; stat -Lc 'TERMINAL=%d:%r' /dev/stdin; } >"$dir/conf.tty"
	"$@" try tty "$dir/conf.tty" >>"$out"
	kill $member
EOT
"$leak" outside "$S" &
helper=$!
for _ in $(seq 100); do [ ! -e "$S/proj/conf.more" ] || break; sleep 0.05; done
cat "$S/proj/conf.more" >>"$S/proj/conf"
export HOME=$S/home XDG_STATE_HOME=$S/state SECRET_TOKEN=x SSH_AUTH_SOCK=$S/out/sock
unset XDG_CONFIG_HOME XDG_CACHE_HOME XDG_DATA_HOME XDG_RUNTIME_DIR
cd "$S/proj" || exit 1

# ---- rooms: how the command is confined ----------------------------------------------------------------
grants=(--allow-read="$S/ro,$S/svc" --deny-read="$S/proj/sub/env,$S/proj/hidden" --deny-write="$S/proj/fenced")
rooms=$("$leak" rooms | cut -f1 | grep -v "^swap$" | sort -u)
# room FILE COMMAND..: what is open and where it stands is the same for both
room() {
	local name=$1 out=$2
	shift 2
	if [ "$name" = tty ]; then
		out=$out timeout -k 2 120 script -qec "exec $(printf '%q ' bash "$S/tty.sh" "$leak" "$S/proj" "$@")" /dev/null >/dev/null 2>>"$out.err" </dev/null
		return
	fi
	(
		[ "$name" != cwd ] || cd "$S/out" || exit 1
		exec "$@" try "$name" "$S/proj/conf" <"$S/out/stdin" >>"$out" 2>>"$out.err" 5<"$S/out/secret" 6<"$S/out" 7>>"$S/out/rw" \
			9<"$S/out/kept" 200<"$S/out/secret"
	)
}
told() { # does --denials name what was asked for and is not there?
	timeout -k 2 20 "$base" run --project "$S/proj" --denials -- cat "$S/out/secret" 2>&1 | grep -q "read .*secret .*missing"
}
# confined FILE [ROOM..]: the checks inside
confined() {
	local out=$1 name args limit status
	shift
	: >"$out"
	: >"$out.err"
	for name in "$@"; do
		args=("${grants[@]}")
		case $name in
		host) args+=(--network host) ;;
		denials) args+=(--denials -q) ;;
		kept) args+=(--keep-fd=9) ;;
		cwd) args+=(-C "$S/proj") ;;
		userns | sys | ptrace | kill) args+=(--profile "$S/$name.yaml") ;;
		esac
		limit=(timeout -k 2 120)
		[ "$name" != tty ] || limit=() # it would die of the signal that a check sends to the group
		room "$name" "$out" "${limit[@]}" "$base" run --project "$S/proj" "${args[@]}" -- "$S/proj/leak"
		status=$?
		[ "$name" != denials ] || echo "start.works-denials	$(told && echo OK || echo EIO)" >>"$out"
		[ "$name" != plain ] || echo "start.works-status	$([ $status = 0 ] && echo OK || echo EIO)" >>"$out"
	done
}

printf 'start.works-status\tOK\nstart.works-denials\tOK\n' >"$S/res/open"
for name in $rooms; do room "$name" "$S/res/open" "$S/proj/leak"; done

# ---- names that are swapped while snug starts ------------------------------------------------------------
# $S/out is denied in all of them: whatever a name leads to at any moment, its secret must not be read.
swaps() {
	local what a b path run_ met hits i swapper
	mkdir -p "$S"/swap/{file,dir,parent/in/dir,project}
	for what in file dir parent project bind; do
		run_=("$base" run)
		case $what in
		file) a=$S/swap/file/a path=$a; echo plain >"$a"; ln -s "$S/out/secret" "$S/swap/file/b"; b=$S/swap/file/b ;;
		dir) a=$S/swap/dir/a b=$S/swap/dir/b path=$a/secret; mkdir "$a"; echo plain >"$path"; ln -s "$S/out" "$b" ;;
		parent) a=$S/swap/parent/in b=$S/swap/parent/b path=$a/dir/secret; echo plain >"$path"; ln -s "$S/out" "$b" ;;
		project) a=$S/swap/project/a b=$S/swap/project/b path=$a/secret; mkdir "$a"; echo plain >"$path"; ln -s "$S/out" "$b"
			run_=("$base" run --project "$a" -C /) ;;
		bind) a=$S/swap/bind b=$S/swap/bound path=$a/secret; mkdir "$a" "$b"; echo plain >"$path" ;;
		esac
		if [ $what = bind ]; then
			# what is mounted there from time to time has a secret of that name too: the deny is about the name
			echo SECRET >"$b/secret"
			unshare --mount --propagation unchanged true 2>/dev/null || { echo "swap.bind	skip: only root mounts" | tee -a "$S/res/open"; continue; }
			( trap 'umount "$a" 2>/dev/null; exit' TERM; while :; do mount --bind "$b" "$a"; umount "$a"; done ) 2>/dev/null &
			run_=("$base" run --allow-read="$a" --deny-read="$path")
		else
			"$leak" swap "$a" "$b" &
			[ $what = project ] || run_+=(--allow-read="$path")
			run_+=(--deny-read="$S/out")
		fi
		swapper=$!
		met=0 hits=0
		for i in $(seq 80); do [ "$(cat "$path" 2>/dev/null)" != SECRET ] || met=$i; done
		for i in $(seq 25); do
			[ "$(timeout 20 "${run_[@]}" -- cat "$path" 2>/dev/null)" != SECRET ] || hits=$i
		done
		kill $swapper
		wait $swapper 2>/dev/null
		[ "$met" != 0 ] && echo "swap.$what	met" >>"$S/res/open" || echo "swap.$what	skip: the secret was never met" >>"$S/res/open"
		[ "$hits" = 0 ] && echo "swap.$what	held" || echo "swap.$what	leaked"
	done
}

# ---- the suite -----------------------------------------------------------------------------------------------
if [ "$mode" = suite ]; then
	# shellcheck disable=SC2086 # words
	confined "$S/res/shut" $rooms
	swaps >>"$S/res/shut"
	sed 's/^/# /' "$S/res/shut.err" | head -20
	"$leak" tell "$here/MANIFEST" "$S/res/open" "$S/res/shut"
	exit
fi

# ---- proof of bite: what turns red when one layer is left out ----------------------------------------------------
# One line each: NAME <tab> number of red checks <tab> some of them
src=$here/../..
knobs=$(sed -n 's/^\t{ "\([^"]*\)", st_.*/step:\1/p' "$src/enforce/step.c" | sort -u
	sed -n 's/^\t{ "\([a-z_]*\)", ".*/filter:\1/p' "$src/profiles/sysgroup.c")
cat >"$S/knob" <<-'EOT'
	#!/bin/sh
	SNUG_TEST_LEAVE_OUT=$(cat "${0}.out") exec "$SNUG_KNOBS" "$@"
EOT
chmod +x "$S/knob"
base=$S/knob
grep -v '^swap\.' "$here/MANIFEST" >"$S/manifest"
while IFS= read -r knob; do
	echo "$knob" >"$S/knob.out"
	# shellcheck disable=SC2086
	confined "$S/res/out" $rooms
	if [ -s "$S/res/out" ]; then
		red=$("$leak" tell "$S/manifest" "$S/res/open" "$S/res/out" | sed -n 's/^not ok [0-9]* - \([a-z0-9._-]*\): .*/\1/p' | grep -v '^swap\.')
		printf '%s\t%s\t%s\n' "$knob" "$(grep -c . <<<"$red")" "$(tr '\n' ' ' <<<"$red" | cut -c1-90)"
	else
		printf '%s\tno start\t%s\n' "$knob" "$(tail -1 "$S/res/out.err" | cut -c1-90)"
	fi
done <<<"nothing
$knobs"
