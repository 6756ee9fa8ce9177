#!/usr/bin/env bats
# as: root user
# run_layers.bats - the second layer (Landlock), what it costs programs and what it keeps; --best-effort
load lib

confined() { run "$SNUG" run "$@"; }
# as on a kernel without call number $1
without_call() {
	local nr=$1
	shift
	NO_CALL=$nr run "$O/tests/targets/no_clone" "$SNUG" run "$@"
}
LANDLOCK=444 # landlock_create_ruleset, the same number on every architecture

@test "S06 mv and ln between directories work, old and new ones, in one granted tree" {
	mkdir a b && echo x >a/f
	confined -- sh -c 'mv a/f b/f && mkdir c && ln b/f c/g && mv c b/c && mv b/c/g a/h && mkdir /tmp/t && echo y >/tmp/y && mv /tmp/y /tmp/t/'
	assert_status 0
	assert_same "$(cat a/h)" x
}

@test "S14 what a terminal is asked works: stty, tty, a pseudo terminal of its own" {
	need script
	confined -- script -qec 'stty -a && tty' /dev/null
	assert_status 0
	assert_out speed
	assert_out /dev/pts/
}

@test "what was redirected opens again the way it was opened, and no wider" {
	echo in >"$WORK/in"
	"$SNUG" run -- sh -c 'cat /dev/stdin; echo one >/dev/stdout; cat <&0 >/dev/null; cat /proc/self/fd/1 >&2' <"$WORK/in" >>"$WORK/out" 2>"$WORK/err" || :
	assert_same "$(cat "$WORK/out")" one
	grep -q 'ermission denied' "$WORK/err"
}

@test "a fifo in a read-only grant can be read, not written" {
	[[ $WORK/ != /tmp/* && $WORK/ != /var/tmp/* ]] || skip "in a private directory, which may be written, Landlock adds nothing"
	mkdir "$WORK/ro" && mkfifo "$WORK/ro/f"
	confined --allow-read="$WORK/ro" -- sh -c ': <>"$1" || echo no' sh "$WORK/ro/f"
	assert_out no
	confined --allow-write="$WORK/ro" -- sh -c ': <>"$1" && echo yes' sh "$WORK/ro/f"
	assert_line '^yes$'
}

# bats test_tags=only:user
@test "nothing can be mounted, not even in a user namespace that a profile grants" {
	is_root && skip "without capabilities root can map no ids into a user namespace"
	printf 'special: { userns: true }\nsyscalls: { allow: [mount, umount2] }\n' >p.yaml
	skip_unless "no user namespaces here" unshare -Urm mount -t tmpfs none /mnt
	confined --profile ./p.yaml -- unshare -Ur sh -c 'echo made; unshare -m mount -t tmpfs none /tmp && echo mounted'
	assert_line '^made$'
	refute_line '^mounted$'
}

@test "N18 with the raw network the host's abstract sockets stay out of reach, own ones work" {
	cp "$O/tests/targets/run_probe" probe
	name=snug-layer-$$
	./probe abstract "$name" "$WORK/bound" &
	pid=$!
	until [ -e "$WORK/bound" ]; do sleep 0.05; done
	confined --network host -- ./probe abstract "$name"
	out=$output
	confined --network host -- sh -c "./probe abstract $name-own ./bound & until [ -e bound ]; do sleep 0.05; done; ./probe abstract $name-own; kill \$!"
	kill $pid
	assert_same "$out" "connect EPERM"
	assert_line '^connect OK$'
}

@test "a kernel without Landlock: 125 with the remedy, or --best-effort, which names it" {
	without_call $LANDLOCK -- echo ran
	assert_status 125
	refute_line '^ran$'
	assert_out Landlock
	assert_out --best-effort
	without_call $LANDLOCK --best-effort -- echo ran
	assert_status 0
	assert_line '^ran$'
	assert_line '^snug: --best-effort: doing without: .*Landlock'
	confined --best-effort -- echo ran
	assert_same "$output" ran
}

@test "without Landlock signals to the own group are still kept from the caller's" {
	outer() {
		trap 'echo HIT' CONT
		without_call $LANDLOCK --best-effort -- sh -c 'trap "echo own" CONT; kill -s CONT 0; echo sent'
		echo "$output"
	}
	said=$(outer)
	assert_same "$(grep -E 'HIT|own|sent' <<<"$said" | paste -sd,)" own,sent
}

@test "the shipped program has no way to leave a layer out" {
	run grep -c SNUG_TEST_LEAVE_OUT "$SNUG"
	assert_same "$output" 0
	SNUG_TEST_LEAVE_OUT=step:seal confined -- sh -c 'mkdir /new && echo made'
	refute_line '^made$'
}

@test "every step of the start stands in ARCHITECTURE.md" {
	sed -n 's/^\t{ "\([^"]*\)", st_.*/\1/p' "$SRC/enforce/step.c" >"$WORK/steps"
	[ "$(wc -l <"$WORK/steps")" -gt 15 ]
	while read -r step; do
		grep -q "^| [^|]*$step" "$SRC/docs/ARCHITECTURE.md" || fail "no row for the step $step"
	done <"$WORK/steps"
}
