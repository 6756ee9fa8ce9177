#!/usr/bin/env bats
# as: user
# runner.bats - the test runner counts right, and fails when it must
load lib

setup() {
	snug_setup
	mkdir -p tree/tests/e2e tree/build
	cp "$SRC/tests/run.sh" tree/tests/
	cd tree || return 1
	export O=$PWD/build SNUG=$PWD/build/snug
}
suite() {
	printf '# as: user\n' >"tests/e2e/$1.bats"
	sed 's/^a test/@test/' >>"tests/e2e/$1.bats" # spelled so that bats does not take it for one of this file's
}

@test "all well: status 0, one plain last line" {
	suite good <<<'a test "a" { true; }
a test "b" { skip "not today"; }'
	run bash tests/run.sh e2e
	assert_status 0
	assert_same '1 passed, 0 failed, 1 skipped' "${lines[-1]}"
	assert_out 'not today'
}

@test "a failing test: status 1, and its output is shown" {
	suite good <<<'a test "a" { true; }'
	suite bad <<<'a test "b" { echo the reason; false; }'
	run bash tests/run.sh e2e
	assert_status 1
	assert_same '1 passed, 1 failed, 0 skipped' "${lines[-1]}"
	assert_out 'the reason'
}

@test "a suite that does not load counts as failed" {
	suite broken <<<'a test "a" { if; }'
	suite good <<<'a test "a" { true; }'
	run bash tests/run.sh e2e
	assert_status 1
	assert_line '^1 passed, [1-9][0-9]* failed, 0 skipped$'
}

@test "a suite that hangs is ended and counts as failed" {
	suite slow <<<'a test "a" { sleep 60; }'
	SUITE_TIMEOUT=2 run bash tests/run.sh e2e
	assert_status 1
	assert_out 'timed out after 2s'
}

@test "nothing ran: status 1" {
	run bash tests/run.sh no-such-suite
	assert_status 1
	assert_same '0 passed, 0 failed, 0 skipped' "${lines[-1]}"
}

@test "nothing is left behind" {
	suite good <<<'a test "a" { true; }'
	run bash tests/run.sh e2e
	assert_status 0
	run find /srv /opt /var/tmp /tmp "$HOME/.cache" -maxdepth 1 -name 'snug-check.*' -newer tests/e2e/good.bats -user "$(id -un)"
	[ -z "$output" ]
}

@test "a runner that is ended takes its suites with it" {
	need pgrep
	suite slow <<<'a test "a" { sleep 47; }'
	bash tests/run.sh e2e >out 2>&1 &
	runner=$!
	for ((i = 0; i < 100; i++)); do
		sleeper=$(pgrep -u "$(id -u)" -f 'sleep 47' || :)
		[ -z "$sleeper" ] || break
		sleep 0.1
	done
	[ -n "$sleeper" ]
	kill "$runner"
	wait "$runner" || :
	for ((i = 0; i < 50; i++)); do
		pgrep -u "$(id -u)" -f 'sleep 47' >/dev/null || return 0
		sleep 0.1
	done
	fail "still there"
}
