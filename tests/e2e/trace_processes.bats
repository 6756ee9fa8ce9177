#!/usr/bin/env bats
# trace_processes.bats - the command notices nothing: signals, limits, status, streams, children, daemons
load lib

REC=$O/tests/tools/rec
rec() { # rec COMMAND..: events in $output, the command's own output in $said, its status in $rc
	rc=0
	said=$("$REC" -o "$WORK/events" "$@") || rc=$?
	output=$(cat "$WORK/events")
}
# what differs between bare and audited, unexpected lines only
differs() {
	"$@" >"$WORK/out-bare"
	"$REC" -o "$WORK/events" "$@" >"$WORK/out-audited"
	sed -i 's/out-[a-z]*/out/' "$WORK/out-bare" "$WORK/out-audited"
	diff "$WORK/out-bare" "$WORK/out-audited" | grep '^[<>]' |
		grep -vE '^[<>] (status (NoNewPrivs|Seccomp|Seccomp_filters|Speculation[^:]*):|env _=)' || true
}

@test "the target that dumps all it can see sees the same" {
	assert_same "$(differs "$(target seeall)" 'a b' '' $'c\nd')" ""
}

@test "P12 ignored and blocked signals stay so; SIGCHLD ignored loses no status" {
	(exec 5<"$HOME"; umask 027; assert_same "$(differs "$(target seeall)" <"$HOME")" "")
	(trap '' CHLD PIPE INT QUIT TERM HUP TSTP; assert_same "$(differs "$(target seeall)")" "")
	(trap '' CHLD; rc=0; "$REC" -o "$WORK/e" sh -c 'true; exit 3' || rc=$?; [ $rc = 3 ])
	(trap '' PIPE; assert_same "$(differs "$(target seeall)")" "")
}

@test "P23 limits are inherited, and the recorder works within them" {
	(ulimit -i 0; assert_same "$(differs "$(target seeall)")" "")
	(ulimit -n 32; ulimit -c 0; ulimit -s 512; assert_same "$(differs "$(target seeall)")" "")
	(ulimit -n 32; rec sh -c 'for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do /bin/true & done; wait; cat /etc/hostname')
	output=$(cat "$WORK/events")
	[ "$(grep -c 'exe /usr/bin/true' <<<"$output")" = 20 ]
	refute_line incomplete
}

@test "status: codes, signals, not found, not executable" {
	rec sh -c 'exit 7'; [ $rc = 7 ]; assert_line 'status 7 ended 1'
	rec sh -c 'kill -9 $$'; assert_line 'status 137'
	rec sh -c 'kill -TERM $$'; assert_line 'status 143'
	rec "$PROJ/none"; [ $rc = 127 ]
	echo x >f; rec ./f; [ $rc = 126 ]
	printf 'echo plain $1\n' >s; chmod +x s; rec ./s arg; [ "$said" = 'plain arg' ]
}

@test "P11 only its own child is waited for" {
	run bash -c 'exec "$0" -o "$1" cat < <(sleep 0.3; echo x)' "$REC" "$WORK/events"
	assert_status 0
	[ "$output" = x ]
}

@test "P13 signals at the recorder lose no record" {
	echo x >f
	"$REC" -o "$WORK/events" "$(target plots)" opens 3000 f >said &
	local pid=$!
	for i in $(seq 100); do kill -WINCH $pid 2>/dev/null; kill -CONT $pid 2>/dev/null; sleep 0.002; done || true
	wait $pid
	[ "$(cat said)" = "0 failed" ]
	output=$(cat "$WORK/events")
	assert_line "open .*$PROJ/f \(file\) = ok x3000"
}

@test "P14 make with eight jobs ends well" {
	need make cc
	for i in $(seq 30); do echo "int f$i(void){return $i;}" >f$i.c; done
	printf 'all: $(patsubst %%.c,%%.o,$(wildcard *.c))\n' >Makefile
	rec make -s -j8
	[ $rc = 0 ]
	[ "$(ls *.o | wc -l)" = 30 ]
	[ "$(grep -cE "(open|rename) .*/f[0-9]+\.o .*survives" <<<"$output")" -ge 30 ]
}

@test "P15 a hundred queued signals arrive in order with their values" {
	rec "$(target plots)" queue
	[ "$said" = "100 in order" ]
}

@test "P16 the first thread ends first: the status is the last one's" {
	rec "$(target plots)" leader
	[ $rc = 4 ]
}

@test "P17 children in the background, again and again, never stuck" {
	for i in $(seq 5); do
		run timeout 60 "$REC" -o "$WORK/events" sh -c 'for i in $(seq 100); do true & done; wait'
		assert_status 0
	done
}

@test "P22 only signals that a user sent reach the command" {
	"$REC" -o "$WORK/events" "$(target plots)" counter 700 >said &
	local pid=$! i
	for i in $(seq 50); do grep -q ready said && break; sleep 0.1; done
	kill -WINCH $pid; kill -HUP $pid
	wait $pid || true
	assert_same "$(cat said)" "ready
signal 1: 1"
}

@test "TERM goes to the command, and the recording is written" {
	"$REC" -o "$WORK/events" sh -c 'trap "echo got; exit 9" TERM; echo up; while :; do sleep 0.1; done' >said &
	local pid=$! rc=0
	for i in $(seq 50); do grep -q up said && break; sleep 0.1; done
	kill -TERM $pid
	wait $pid || rc=$?
	[ $rc = 9 ]
	grep -q got said
	grep -q 'status 9' "$WORK/events"
}

@test "T24 vfork in a loop: TERM ends everything within two seconds" {
	"$REC" -o "$WORK/events" "$(target plots)" spawner &
	local pid=$! rc=0 start
	sleep 0.5
	start=$(date +%s%N)
	kill -TERM $pid
	wait $pid || rc=$?
	[ $rc = 143 ]
	[ $(($(date +%s%N) - start)) -lt 3000000000 ]
}

@test "a time limit: TERM, then the report; 124" {
	run "$REC" -t 500 -o "$WORK/events" sh -c 'sleep 30 & sleep 30'
	assert_status 124
	output=$(cat "$WORK/events")
	assert_line 'status 124 ended 1'
}

@test "a daemon that outlives the wait is named, and goes on unharmed" {
	rec -w 200 "$(target plots)" daemon 1.5 "$PROJ/late"
	[ $rc = 0 ]
	assert_line '^incomplete .*plots still ran 200 ms after'
	for i in $(seq 40); do [ -e late ] && break; sleep 0.1; done
	[ -e late ]
}

@test "a daemon that ends within the wait is recorded" {
	rec -w 5000 "$(target plots)" daemon 0.3 "$PROJ/late"
	assert_line "open .*$PROJ/late \(none\) = ok .*survives"
	refute_line incomplete
}

@test "P10 a set-uid program: works for root, is named for a user" {
	if is_root; then
		cp /usr/bin/id "$WORK/sid"; chmod 4755 "$WORK/sid"; chmod 755 "$WORK" "$PROJ"
		need setpriv
		rec setpriv --reuid=65534 --clear-groups "$WORK/sid" -u
		[ "$said" = 0 ] || [ "$(setpriv --reuid=65534 --clear-groups "$WORK/sid" -u)" = "$said" ]
		refute_line 'lost set-uid'
	else
		local su
		su=$(command -v su) || skip "no set-uid program here"
		[ -u "$su" ] || skip "su is not set-uid here"
		rec "$su" --version
		assert_line "incomplete lost set-uid: .*su"
	fi
}

@test "P18 the command's own status, whatever it is" {
	for s in 0 1 5 124 125 126 127; do
		rec sh -c "exit $s"
		[ $rc = $s ]
	done
}

@test "P24 huge argument vectors: same limits, small recording" {
	local big
	big=$(head -c 131071 /dev/zero | tr '\0' x)
	[ "$("$REC" -o "$WORK/events" sh -c 'echo ${#1}' sh "$big")" = "$(sh -c 'echo ${#1}' sh "$big")" ]
	seq 200000 >n
	xargs -s 1000000 "$REC" -o "$WORK/events" sh -c 'echo $#' <n >audited
	xargs -s 1000000 sh -c 'echo $#' <n >bare
	# snug's own words take a few off the first call
	[ "$(awk '{ n += $1 } END { print n }' audited)" -le 200000 ]
	[ "$(wc -l <audited)" = "$(wc -l <bare)" ]
	[ "$(stat -c %s "$WORK/events")" -lt 1000000 ]
}

@test "secrets do not stand in the recorded command lines" {
	export MY_API_TOKEN=s3cr3tvalue
	rec sh -c 'true "$0" "$@"; /bin/true --password hunter2 --token=abcdef "https://user:pw@example.org/x?key=1" "$MY_API_TOKEN"' x
	refute_out hunter2; refute_out abcdef; refute_out user:pw; refute_out s3cr3tvalue
	assert_line 'argv </bin/true> <--password> <\*\*\*> <--token=\*\*\*> <https://\*\*\*@example.org/x\?\*\*\*> <\*\*\*>'
}

@test "variables with signs of use are named, others are not" {
	export SNUG_T_READ=abcd SNUG_T_IDLE=efgh1234
	echo 'echo ${SNUG_T_READ}' >s.sh
	rec sh s.sh
	assert_line 'env .* SNUG_T_READ '
	refute_line 'env .* SNUG_T_IDLE'
	refute_out efgh1234
}

@test "npm's package and script stand at its programs" {
	rec env npm_package_name=left-pad npm_package_version=1.3.0 npm_lifecycle_event=install /bin/true
	assert_line '^proc .*/true.* package left-pad@1.3.0 script install'
}

@test "without a recorder that can start nothing runs" {
	run "$REC" -o "$WORK/events" "$REC" touch made
	assert_status 125
	[ ! -e made ]
}

# bats test_tags=only:root
@test "a file system that the command serves itself cannot hang the recorder" {
	is_root || skip "needs root to mount"
	mkdir mnt
	rc=0
	said=$(timeout 20 "$REC" -o "$WORK/events" "$(target plots)" stuck "$PROJ/mnt" "$PROJ/mnt/x") || rc=$?
	[ $rc != 77 ] || skip "no FUSE here"
	[ $rc = 0 ]
	output=$(cat "$WORK/events")
	assert_line "open .*$PROJ/mnt/x .*\?"
	assert_line 'open .*/etc/hostname \(file\) = ok'
}

# mounted MODE.. [-- COMMAND..]: the file system of fusefs on $PROJ/mnt, until unmounted
mounted() {
	is_root || skip "needs root to mount"
	mkdir -p mnt
	local rc=0
	server=$("$(target fusefs)" serve "$PROJ/mnt" "$@") || rc=$?
	[ $rc != 77 ] || skip "no FUSE here"
	[ $rc = 0 ]
}
unmounted() {
	umount -l "$PROJ/mnt" 2>/dev/null || true
	kill -9 "$server" 2>/dev/null || true
}

@test "a FUSE mount that answers is recorded with all facts" {
	mounted
	export SNUG_T_FUSE=abcd
	rec sh -c 'cat mnt/link; ls mnt; mnt/run; sh mnt/run; rmdir mnt; true' || true
	unmounted
	[ "$said" = "$(printf '%s\n' hello hello link run 'ran abcd' 'ran abcd')" ]
	assert_line "open .*$PROJ/mnt/hello \(file\) = ok"
	assert_line "exec .*$PROJ/mnt/run \(file\) = ok"
	assert_line "load .*sh \(file\) = ok"
	assert_line 'env .* SNUG_T_FUSE '
	refute_line incomplete
}

@test "a FUSE mount whose server does not answer delays the rest once, and is said" {
	mounted 1
	rc=0
	said=$(timeout 20 "$REC" -o "$WORK/events" sh -c '(timeout -s KILL 3 cat mnt/hello mnt/b & cat mnt/c &) 2>/dev/null
		sleep 0.2; for i in 1 2 3; do cat /etc/hostname >/dev/null; done; echo on; kill -9 '"$server"'; sleep 0.2; umount -l mnt; true') || rc=$?
	unmounted
	[ "$rc" = 0 ]
	[ "$said" = on ]
	output=$(cat "$WORK/events")
	assert_line 'open .*/etc/hostname \(file\) = ok'
	assert_line "^incomplete $PROJ/mnt did not answer within 1000 ms"
	assert_line "open .*$PROJ/mnt/c .*\?"
}

# bats test_tags=only:root
@test "a FUSE mount that was there before, served by the recorded tree itself, hangs nothing" {
	is_root || skip "needs root to mount"
	mkdir mnt
	rc=0
	said=$(timeout 30 "$(target fusefs)" with "$PROJ/mnt" "$REC" -o "$WORK/events" "$(target fusefs)" answer cat mnt/hello) || rc=$?
	umount -l "$PROJ/mnt" || true
	[ $rc != 77 ] || skip "no FUSE here"
	[ $rc = 0 ]
	[ "$said" = hello ]
	output=$(cat "$WORK/events")
	assert_line "^incomplete $PROJ/mnt did not answer"
	assert_line 'open .*/etc/hostname \(file\) = ok'
}

@test "a recorder that is killed ends the command, and snug says so" {
	"$REC" -o "$WORK/events" sleep 60 2>said &
	local pid=$! rc=0 child
	for i in $(seq 50); do child=$(pgrep -P $pid) && pgrep -P "$child" sleep >/dev/null && break; sleep 0.1; done
	local sleeper
	sleeper=$(pgrep -P "$child")
	kill -9 "$child"
	wait $pid || rc=$?
	[ $rc = 125 ]
	grep -q 'recorder died' said
	refute kill -0 "$sleeper" 2>/dev/null
}

# bats test_tags=only:user
@test "a program whose memory may not be read makes the recording incomplete" {
	! is_root || skip "root may read all memory"
	cp /bin/cat "$WORK/private-cat"; chmod 111 "$WORK/private-cat"
	echo x >f
	rec "$WORK/private-cat" f
	[ "$said" = x ]
	assert_line '^incomplete .*private-cat'
}

@test "stopped and continued: the recorder's caller sees the same" {
	"$REC" -o "$WORK/events" sh -c 'kill -STOP $$; echo on' >said &
	local pid=$! rc=0 i
	for i in $(seq 50); do grep -q 'State:.*stopped' /proc/$pid/status && break; sleep 0.1; done
	grep -q 'State:.*stopped' /proc/$pid/status
	pkill -CONT -P "$(pgrep -P $pid | head -1)"
	wait $pid || rc=$?
	[ $rc = 0 ]
	[ "$(cat said)" = on ]
}

@test "P24 an execve that fails late is no known outcome, and the caller goes on as itself" {
	need perl
	rec perl -e '$a = "x" x 100000; { no warnings; exec("/bin/true", ($a) x 40) } open F, "<", "/etc/hostname"; print "on\n"'
	[ "$said" = on ]
	assert_line '^event 1 open .*/etc/hostname'
	assert_line 'exec .*/true \(file\) = ok\? x1'
}
