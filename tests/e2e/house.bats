#!/usr/bin/env bats
# house.bats - the test environment itself
load lib

@test "each test has its own home, project and state" {
	[ "$(pwd -P)" = "$PROJ" ]
	[ -z "$(ls -A "$HOME")" ]
	[ -w "$XDG_STATE_HOME" ]
	[ -x "$SNUG" ]
}

@test "a helper that compares trees sees a changed mode" {
	a=$(snug_tmp a)
	b=$(snug_tmp b)
	echo x >"$a/f"
	echo x >"$b/f"
	assert_same_tree "$a" "$b"
	chmod 600 "$b/f"
	run assert_same_tree "$a" "$b"
	[ "$status" != 0 ]
}
