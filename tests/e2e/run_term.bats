#!/usr/bin/env bats
# run_term.bats - the caller's terminal: stops, who reads, and its modes afterwards
bats_require_minimum_version 1.5.0
load lib

setup() {
	snug_setup
	cd "$PROJ" || return 1
	need python3
}
typed() { run python3 "$BATS_TEST_DIRNAME/terminal.py" "$@"; }

@test "reading in the background stops the job like any other" {
	typed 'expect:OUTER> ' "type:$SNUG -- cat &\\n" 'expect:OUTER> ' 'type:sleep 2; jobs; fg\n' expect:Stopped \
		'expect:\n.*-- cat' 'type:hello\n\x04' 'expect:hello\r\nhello' 'expect:OUTER> '
	assert_status 0
}

@test "P08 the terminal's modes are put back when the command ends, also by KILL, also from a group of its own" {
	cat >raw.py <<-'END'
		import os, signal, sys, termios, tty
		signal.signal(signal.SIGTTOU, signal.SIG_IGN)
		if sys.argv[1] == "own":
		    if os.fork():
		        signal.pause()
		    os.setpgid(0, 0)
		    os.tcsetpgrp(0, os.getpgid(0))
		tty.setraw(0)
		os.kill(os.getppid() if sys.argv[1] == "own" else os.getpid(), signal.SIGKILL)
	END
	local how
	for how in plain own; do
		run python3 "$BATS_TEST_DIRNAME/terminal.py" 'expect:OUTER> ' \
			"type:sh -c 'stty -a >before; $SNUG -- python3 raw.py $how; stty -a >after'; echo d\"\"one\\n" expect:done
		assert_status 0
		[ -s before ]
		assert_same "$(cat after)" "$(cat before)"
		rm before after
	done
}

@test "TSTP sent to snug stops what is inside, CONT goes on" {
	"$SNUG" -- sh -c 'while :; do echo x >>ticks; sleep 0.05; done' 3>&- &
	local child=$! before
	for _ in $(seq 100); do [ -s ticks ] && break; sleep 0.05; done
	kill -TSTP $child
	sleep 1
	before=$(wc -l <ticks)
	sleep 0.5
	assert_same "$(wc -l <ticks)" "$before"
	kill -CONT $child
	sleep 0.7
	[ "$(wc -l <ticks)" -gt "$before" ]
	kill -TERM $child
	wait $child || true
}
