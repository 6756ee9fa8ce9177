#!/usr/bin/env bats
# audit_rows.bats - what a row says, and that what it offers works confined
bats_require_minimum_version 1.5.0
load lib

# next: the printed next command of $output, run as it would be when pasted
paste_next() {
	local line
	line=$(sed -n 's/^snug: next: snug //p' <<<"$output")
	[ -n "$line" ] || fail "no next command"
	run bash -c "\"\$SNUG\" $line"
}

@test "reads in /sys: special.sys, and the printed command works" {
	run "$SNUG" audit -- sh -c 'cat /sys/class/net/lo/address && ls /sys/class/net >/dev/null'
	assert_status 0
	assert_line 'grant: special\.sys: ro'
	run cat "$(suggested)"
	assert_line '^  sys: ro$'
	run "$SNUG" -- cat /sys/class/net/lo/address
	assert_status 1
	run "$SNUG" audit -- cat /sys/class/net/lo/address
	paste_next
	assert_status 0
	assert_out 00:00:00:00:00:00
	printf 'special:\n  proc: true\n' >p.yaml
	run "$SNUG" audit --update=p.yaml -- cat /sys/class/net/lo/address
	assert_line '^\+  sys: ro$'
	run "$SNUG" audit --check --profile ./p.yaml -- cat /sys/class/net/lo/address
	assert_status 0
}

@test "a call that base denies is offered as a comment, with the risk" {
	need python3
	run "$SNUG" audit -- python3 -c 'import ctypes; ctypes.CDLL(None).syscall(298, 0, 0, 0, 0, 0)'
	run cat "$(suggested)"
	assert_line '^#     - perf_event_open  # measures other programs'
	refute_line '^syscalls:'
}
