# run_engine.bats - the engine by itself, given a hand-made list of places: links, order, what must not be made on the host
# as: root user
load lib

setup() {
	snug_setup
	base=(ro:/usr proc:/proc dev:/dev tmp:/tmp)
	for d in bin sbin lib lib32 lib64; do
		[ -L /$d ] && base+=("link:/$d=$(readlink /$d)")
		[ -d /$d ] && [ ! -L /$d ] && base+=("ro:/$d")
	done
	mkdir -p "$WORK/a/b" && echo ok >"$WORK/a/b/f" && echo secret >"$WORK/secret"
}
try() { run "$O/tests/tools/box_try" "${base[@]}" "$@"; }

@test "S18 a source that is, or lies behind, a symbolic link is never followed" {
	ln -s a "$WORK/link"
	ln -s "$WORK/secret" "$WORK/a/file"
	for source in "$WORK/link" "$WORK/link/b" "$WORK/link/b/f" "$WORK/a/file"; do
		try "ro:$source=/opt/x" -- cat /opt/x
		assert_status 125
		assert_out "symbolic link"
		refute_line '^secret$'
	done
}

@test "S18 a source swapped for a link all the time is mounted as itself or not at all" {
	mkdir "$WORK/swap" && echo ok >"$WORK/swap/f" && ln -s "$WORK/secret" "$WORK/swap/l"
	# exchange the two names without a moment in which one is missing
	python=$(command -v python3) || skip "no python3 here"
	"$python" -c 'import ctypes, sys, time
libc, end = ctypes.CDLL(None), time.time() + 4
while time.time() < end: libc.renameat2(-100, sys.argv[1].encode(), -100, sys.argv[2].encode(), 2)' \
		"$WORK/swap/f" "$WORK/swap/l" &
	ok=0
	for i in $(seq 40); do
		try "ro:$WORK/swap/f=/opt/x" -- cat /opt/x
		[[ $output != *secret* ]] || fail "followed: $output"
		[ "$status" = 125 ] || ok=$((ok + 1))
	done
	kill %1 2>/dev/null || true
	echo "mounted $ok of 40" >&2
}

@test "a way through a link inside the view is refused" {
	try "link:/opt=/usr" "ro:$WORK/a=/opt/x" -- true
	assert_status 125
	assert_out "symbolic link"
}

@test "nothing is made in a bound tree for a mount point, and the host stays as it is" {
	before=$(find "$WORK/a" | sort)
	for place in "ro:$WORK/secret=$WORK/a/new" "tmp:$WORK/a/new" "link:$WORK/a/new=x" "stub:$WORK/a/new=x" "ro:$WORK/a/b=$WORK/a/new/deep"; do
		for mode in ro rw; do
			try "$mode:$WORK/a" "$place" -- true
			assert_status 125
		done
	done
	assert_same "$(find "$WORK/a" | sort)" "$before"
}

@test "a file over a directory and a directory over a file are refused" {
	try "ro:$WORK/a/b/f=/opt/x" "tmp:/opt/x" -- true
	assert_status 125
	try "tmp:/opt/x" "ro:$WORK/a/b/f=/opt/x" -- true
	assert_status 125
}

@test "optional places that are absent are left out, required ones are errors" {
	try "?ro:$WORK/none=/opt/x" "?mask:$WORK/none" -- ls /opt
	[ "$status" -ne 125 ]
	try "ro:$WORK/none=/opt/x" -- true
	assert_status 125
	assert_out none
}

@test "later places win over earlier ones, children over parents" {
	try "rw:$WORK/a" "tmp:$WORK/a/b" "ro:$WORK/secret=$WORK/a/b/s" "mask:$WORK/a/b/s" -- sh -c "ls $WORK/a/b; cat $WORK/a/b/s"
	assert_line '^s$'
	refute_line '^secret$'
	assert_same "$(ls "$WORK/a/b")" f
}

@test "a stub over a bound file is seen instead of it" {
	try "ro:$WORK/a" "stub:$WORK/a/b/f=generated" -- cat "$WORK/a/b/f"
	assert_same "$output" generated
	assert_same "$(cat "$WORK/a/b/f")" ok
}

@test "a fence is read-only and cannot be moved, its neighbours are not" {
	mkdir "$WORK/a/c"
	try "rw:$WORK/a" "fence:$WORK/a/b" -- sh -c "echo x > $WORK/a/b/f; mv $WORK/a/b $WORK/a/z; echo y > $WORK/a/c/g"
	assert_same "$(cat "$WORK/a/b/f")" ok
	assert_same "$(cat "$WORK/a/c/g")" y
}

@test "a box that holds does not execute before it is let go" {
	try hold -- sh -c 'echo went'
	assert_same "$output" went
}
