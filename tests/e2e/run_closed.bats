# run_closed.bats - whatever step of the start fails, the command does not run, and the failed step is named with 125
# as: root user
load lib

setup() {
	snug_setup
	export ASAN_OPTIONS=detect_leaks=0 # which cannot be done under strace
}

@test "every call that builds the sandbox may fail: 125, a reason, and no run" {
	need strace
	skip_unless "strace does not work here" strace -f -o /dev/null true
	ran=0 closed=0
	for call in mount move_mount mount_setattr pivot_root umount2 capset seccomp close_range setns unshare fsopen fsconfig \
		fsmount sethostname openat2 mkdirat mknodat unlinkat symlinkat fchdir chdir socket ioctl pipe2 socketpair clone3 \
		vfork prctl landlock_create_ruleset landlock_add_rule landlock_restrict_self; do
		for nth in 1 2 5; do
			code=0
			strace -qq -f -o /dev/null -e "inject=$call:error=EACCES:when=$nth" \
				"$SNUG" run -- sh -c 'echo the command ran' >"$WORK/out" 2>&1 </dev/null || code=$?
			if grep -q 'the command ran' "$WORK/out"; then
				# fewer such calls than that, or one of the command itself
				ran=$((ran + 1))
				[ $code = 0 ] || fail "$call $nth: ran, then $code: $(cat "$WORK/out")"
				continue
			fi
			closed=$((closed + 1))
			[ $code = 125 ] || [ $code = 127 ] || fail "$call $nth: status $code: $(cat "$WORK/out")"
			grep -q '^snug: ..' "$WORK/out" || [ $code = 127 ] || fail "$call $nth says: $(cat "$WORK/out")"
		done
	done
	echo "closed $closed, not reached $ran" >&2
	[ $closed -ge 45 ]
}

@test "a host whose mount calls are too old says which Linux is needed" {
	need strace
	skip_unless "strace does not work here" strace -f -o /dev/null true
	for call in mount_setattr fsopen openat2; do
		run strace -qq -f -o /dev/null -e "inject=$call:error=ENOSYS" "$SNUG" run -- echo ran
		assert_status 125
		refute_line '^ran$'
		assert_out "Linux 5.12"
	done
}
