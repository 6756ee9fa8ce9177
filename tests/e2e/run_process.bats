# run_process.bats - exit codes, signals, descriptors, limits: the command's life is as without snug
# as: root user
load lib

setup() {
	snug_setup
	cp "$(target run_probe)" "$PROJ/probe"
	cp "$(target run_probe)" "$WORK/probe"
	tag=$(id -u)$BASHPID # in the arguments of processes that a test looks for
}
confined() { run "$SNUG" run "$@"; }
# until_file FILE [PID]: wait at most 10 s
until_file() {
	local i
	for i in $(seq 200); do
		[ -e "$1" ] && return 0
		sleep 0.05
	done
	fail "no $1 after 10 s"
}
# tree PATTERN: processes whose command line holds PATTERN
tree() { pgrep -f -- "$1" | wc -l; }

@test "the command's own status comes through" {
	for code in 0 1 2 3 99 124 125 255; do
		confined -- sh -c "exit $code"
		assert_status $code
	done
}

@test "128+N when a signal ends the command" {
	for sig in 1 2 6 9 11 13 15; do
		confined -- sh -c "ulimit -c 0; kill -$sig \$\$"
		assert_status $((128 + sig))
	done
}

@test "127 not found, 126 not executable, each with the remedy" {
	confined -- no-such-command
	assert_status 127
	assert_out "not found in the confined PATH"
	confined -- ./nothing
	assert_status 127
	echo text >plain
	confined -- ./plain
	assert_status 126
	assert_out "Permission denied"
	printf '#!/no/such/interpreter\n' >script && chmod +x script
	confined -- ./script
	assert_status 126
	assert_out interpreter
	confined -- "$PROJ"
	assert_status 126
	printf 'echo "shell $1"\n' >bare && chmod +x bare
	confined -- ./bare arg
	assert_status 0
	assert_same "$output" "shell arg"
	mkdir "$WORK/bin" && printf '#!/bin/sh\n' >"$WORK/bin/mytool" && chmod +x "$WORK/bin/mytool"
	PATH=$WORK/bin:$PATH confined -- mytool
	assert_status 127
	assert_out "$WORK/bin/mytool"
	assert_out prepend_path
}

@test "an argument that is there outside and not inside is named before the start" {
	mkdir "$WORK/data" && : >"$WORK/data/f"
	confined -- sh -c 'exit 0' "$WORK/data/f" --in="$WORK/data" /etc/hosts /no/such
	assert_status 0
	assert_out "--allow-read=$WORK/data/f,$WORK/data"
	assert_same "${#lines[@]}" 1
	confined --allow-read="$WORK/data" -- true "$WORK/data/f" ./probe
	assert_same "$output" ""
}

@test "P18 snug's own failures are 125 or 2, never the command's" {
	confined --no-such-flag -- true
	assert_status 2
	confined
	assert_status 2
	confined +no-such-profile -- true
	assert_status 125
	confined -C /no/such/dir -- true
	assert_status 125
	confined --keep-fd=99 -- true
	assert_status 125
	assert_out 99
}

@test "the streams belong to the command" {
	assert_same "$(echo in | "$SNUG" run -- sh -c 'cat; echo err >&2' 2>"$WORK/err")" in
	assert_same "$(cat "$WORK/err")" err
	"$SNUG" run -- sh -c 'echo lost || exit 9' >&- 2>/dev/null && fail "stdout was open"
	[ $? -ne 125 ]
	assert_same "$("$SNUG" run -- ./probe fds <&-)" "$(printf '1\n2')"
}

@test "P21 inherited descriptors do not come along, unless they are kept" {
	echo secret >"$WORK/secret"
	exec 7<"$WORK/secret" 8<"$WORK" 9>"$WORK/log"
	confined -- ./probe fds
	assert_same "$output" "$(printf '0\n1\n2')"
	confined -- sh -c 'cat <&7'
	refute_out secret
	confined --keep-fd=7 --keep-fd=9 -- sh -c './probe fds; cat <&7; echo l >&9'
	assert_out secret
	assert_line '^9$'
	refute_line '^8$'
	assert_same "$(cat "$WORK/log")" l
	exec 7<&- 8<&- 9>&-
}

@test "P21 a kept descriptor is no more than it was: read-only stays so, its position moves on, a directory is refused" {
	printf 'one\ntwo\n' >"$WORK/f"
	exec 7<"$WORK/f" 8<"$WORK"
	confined --keep-fd=7 -- sh -c 'read -r l <&7; echo "got $l"; echo HACK >/proc/self/fd/7'
	assert_out "got one"
	assert_out "Read-only file system"
	assert_same "$(cat "$WORK/f")" "$(printf 'one\ntwo')"
	assert_same "$(cat <&7)" two
	confined --keep-fd=8 -- true
	assert_status 125
	assert_out "descriptor 8 is a directory"
	exec 7<&- 8<&-
}

@test "P21 a file on stdin cannot be opened again for writing, and a directory is refused" {
	echo abc >"$WORK/in"
	run ./probe reopen <"$WORK/in"
	assert_line '^write OK$'
	run "$SNUG" run -- ./probe reopen <"$WORK/in"
	assert_status 0
	assert_line '^write EROFS$'
	assert_line '^up ENOTDIR$'
	run "$SNUG" run -- ./probe reopen <"$WORK"
	assert_status 125
	assert_out "a directory"
	# the descriptor of a file that nobody can name any more, as of a here-document
	assert_same "$("$SNUG" run -- cat <<<"$(seq 20000)" | tail -1)" 20000
}

@test "a file on stdin is read on where the command stopped" {
	printf 'l1\nl2\nl3\n' >lines
	got=$({
		read -r a
		"$SNUG" run -- head -c 3 >/dev/null
		read -r b
		echo "$a $b"
	} <lines)
	assert_same "$got" "l1 l3"
	{
		"$SNUG" run -- echo one
		"$SNUG" run -- echo two
	} >out
	assert_same "$(cat out)" "$(printf 'one\ntwo')"
}

@test "P12 an ignored SIGCHLD loses no status, and the command keeps what was ignored and blocked" {
	run bash -c 'trap "" CHLD PIPE USR1; "$SNUG" run -- sh -c "true; exit 3"'
	assert_status 3
	bash -c 'trap "" CHLD PIPE USR1; "$0" status Sig Shd' "$WORK/probe" | grep -E '^Sig(Ign|Blk)' >"$WORK/bare"
	bash -c 'trap "" CHLD PIPE USR1; "$SNUG" run -- ./probe status Sig Shd' | grep -E '^Sig(Ign|Blk)' >"$WORK/in"
	diff "$WORK/bare" "$WORK/in"
	grep -q 'SigIgn:.*11200' "$WORK/in"
}

@test "P11 children that snug inherited do not disturb it" {
	run bash -c 'exec "$SNUG" run -- cat < <(sleep 0.3; echo x)'
	assert_status 0
	assert_same "$output" x
	run bash -c 'sleep 0.2 & exec "$SNUG" run -- sh -c "sleep 0.5; exit 4"'
	assert_status 4
}

@test "signals sent to snug reach the command, once each" {
	"$SNUG" run -- ./probe counts "$PROJ/ready" >"$WORK/out" &
	pid=$!
	until_file ready
	for sig in HUP INT USR1 USR2 USR2 WINCH URG; do
		kill -$sig $pid
		sleep 0.1
	done
	kill -TERM $pid
	code=0
	wait $pid || code=$?
	assert_same "$code" 0
	assert_same "$(sort "$WORK/out" | tr '\n' ' ')" "HUP 1 INT 1 TERM 1 URG 1 USR1 1 USR2 2 WINCH 1 "
}

@test "P22 the command meets no signal that snug made" {
	"$SNUG" run -- ./probe counts "$PROJ/ready" >"$WORK/out" &
	pid=$!
	until_file ready
	sleep 0.5
	kill -TERM $pid
	wait $pid
	assert_same "$(cat "$WORK/out")" "TERM 1"
}

@test "TERM ends a command that does not catch it, with 143" {
	"$SNUG" run -- sleep 31.$tag &
	pid=$!
	for i in $(seq 100); do [ "$(tree "sleep 31.$tag")" -ge 2 ] && break; sleep 0.05; done
	kill -TERM $pid
	code=0
	wait $pid || code=$?
	assert_same "$code" 143
	assert_same "$(tree "^sleep 31.$tag")" 0
}

@test "nothing outlives snug, not even after KILL, nor a daemon of the command" {
	"$SNUG" run -- sh -c "setsid sleep 32.$tag & (sleep 32.$tag &) ; : > ready; sleep 32.$tag" &
	pid=$!
	until_file ready
	[ "$(tree "^sleep 32.$tag")" -ge 2 ]
	kill -KILL $pid
	wait $pid || true
	for i in $(seq 100); do [ "$(tree "^sleep 32.$tag")" = 0 ] && break; sleep 0.05; done
	assert_same "$(tree "^sleep 32.$tag")" 0
	confined -- sh -c "setsid sleep 33.$tag >/dev/null 2>&1 & exit 5"
	assert_status 5
	assert_same "$(tree "^sleep 33.$tag")" 0
}

@test "a daemon that closed its streams does not keep a reader waiting" {
	run timeout 10 sh -c '"$SNUG" run -- sh -c "echo done" | cat'
	assert_status 0
	assert_same "$output" "done"
}

@test "without a terminal the command has its own process group, and cannot signal the caller's" {
	run setsid -w sh -c 'sleep 0.5 & "$SNUG" run -- sh -c "kill -TERM 0; sleep 5"; echo "snug $?"; wait $!; echo "sleep $?"'
	assert_status 0
	assert_line '^snug 143$'
	assert_line '^sleep 0$'
}

@test "orphans are reaped" {
	confined -- ./probe orphans
	assert_status 0
	assert_same "$output" "zombies 0"
}

@test "P23 resource limits are the caller's, and few descriptors are enough" {
	memory='-v 4000000'
	grep -q __asan_init "$SNUG" && memory= # sanitizers reserve terabytes
	for set in 'ulimit -n 32 -s 512 -c 0' "ulimit $memory -f 1000"; do
		bash -c "$set; \"$WORK/probe\" limits" >"$WORK/bare"
		bash -c "$set; \"\$SNUG\" run -- ./probe limits" >"$WORK/in"
		diff "$WORK/bare" "$WORK/in"
	done
}

@test "the file mode mask is the caller's" {
	for mask in 022 077 000; do
		(umask $mask && "$SNUG" run -- sh -c "umask; : > made$mask")
		assert_same "$(stat -c %a "made$mask")" "$(printf %o $((0666 & ~mask)))"
	done
}

@test "P24 huge argument lists and single arguments go through" {
	big=$(head -c 131071 /dev/zero | tr '\0' a)
	confined -- sh -c 'echo ${#1}' sh "${big:0:131000}"
	assert_status 0
	assert_same "$output" 131000
	seq 100000 200000 | xargs -s 1000000 "$SNUG" run -- sh -c 'echo $#' sh >"$WORK/out"
	seq 100000 200000 | xargs -s 1000000 sh -c 'echo $#' sh >"$WORK/bare"
	assert_same "$(awk '{n += $1} END {print n}' "$WORK/out")" 100001
}

@test "S22 works whatever cgroups the host has, and does not write there" {
	confined -- sh -c 'cat /proc/self/cgroup | cut -d: -f3 | sort -u; ls /sys/fs/cgroup 2>&1'
	assert_line '^/$'
	assert_out "No such file"
}

@test "who waits while the command runs holds less than half a megabyte" {
	skip_unless "sanitizers need memory of their own" test -z "$SAN"
	"$SNUG" run -- sh -c 'echo up; exec sleep 30' >up 2>/dev/null </dev/null &
	snug=$!
	until [ -s up ]; do sleep 0.05; done
	sleep 0.2
	pss=$(awk '/^Pss:/ { print $2 }' /proc/$snug/smaps_rollup)
	kill $snug
	wait $snug || true
	echo "$pss KiB" >&2
	[ "$pss" -gt 0 ] && [ "$pss" -le 512 ]
}
