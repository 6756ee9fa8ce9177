#!/usr/bin/env bats
# audit_judged.bats - what the audit says of an access, against what happens confined
bats_require_minimum_version 1.5.0
load lib

# next: the printed next command of $output, run as it would be when pasted
paste_next() {
	local line
	line=$(sed -n 's/^snug: next: snug //p' <<<"$output")
	[ -n "$line" ] || fail "no next command"
	run bash -c "\"\$SNUG\" $line"
}

@test "through the links of a process in /proc: the line is for what they lead to, and the printed command works" {
	mkdir -p "$HOME/p"
	echo kept >"$HOME/s"
	cd "$HOME/p"
	# shellcheck disable=SC2016
	for script in 'cat /proc/self/root$HOME/s' 'cat /proc/self/cwd/../s' 'cat /proc/$$/root$HOME/s' 'exec 7<..; cat /proc/self/fd/7/s'; do
		run "$SNUG" audit -- sh -c "$script"
		assert_status 0
		refute_out 'source: "/proc'
		paste_next
		assert_status 0
		assert_out kept
	done
}

@test "a processor list that a runtime looks up is a probe; who is told to read it needs it" {
	skip_unless "no /sys here" test -r /sys/devices/system/cpu/online
	run "$SNUG" audit --check -- cat /sys/devices/system/cpu/online
	assert_status 3
	assert_out "special.sys: ro"
	run "$SNUG" audit -- cat /sys/devices/system/cpu/online
	paste_next
	assert_status 0
	assert_same "$output" "$(cat /sys/devices/system/cpu/online)"
	run "$SNUG" -- cat /sys/devices/system/cpu/online
	assert_status 1
}
