#!/usr/bin/env bats
# run_term.bats - a run on a terminal: the private one, the caller's, stops and who reads
bats_require_minimum_version 1.5.0
load lib

setup() {
	snug_setup
	need python3
}

# on_terminal CASE: a dialogue of pty_cases.py
on_terminal() {
	run python3 "$BATS_TEST_DIRNAME/pty_cases.py" "$1"
	assert_status 0
}

@test "ttyname(3), /dev/tty and /dev/pts/N name one terminal, which is a controlling one with a foreground" {
	on_terminal names
}

@test "the size at the start, and each change with its signal" {
	on_terminal size
}

@test "P06 ^C reaches the whole job inside, and leaves nobody behind" {
	on_terminal interrupt
}

@test "P07 ^C is a byte where the program says so, and one SIGINT where not" {
	on_terminal interrupt_raw
}

@test "^\ is SIGQUIT" {
	on_terminal quit_key
}

@test "^S holds the output, ^Q lets it go on" {
	on_terminal hold
}

@test "all 256 bytes pass both ways, at once" {
	on_terminal bytes8
}

@test "a fast writer: every byte arrives, with its status" {
	on_terminal flood
}

@test "nobody takes the output: the writer waits, snug sleeps, and all is there later" {
	on_terminal slow_reader
}

@test "nobody takes the output: TERM ends the run all the same" {
	on_terminal slow_reader_term
}

@test "what is written just before the end arrives, each time" {
	on_terminal last_words
}

@test "^D ends the input of a program that reads lines" {
	on_terminal end_of_file
}

@test "P05 ^Z stops the job, the shell's terminal is as it was; fg goes on, again and again" {
	on_terminal stop_and_go
}

@test "P05 a command that ignores every stop is not stopped, as on any terminal; all that is typed is still its own" {
	on_terminal stop_ignored
}

@test "P05 nothing inside reads what is typed to the shell while snug is stopped, whatever it ignores" {
	on_terminal one_reader
}

@test "P05 the same where stdin is none and stdout is: in front it reads what is typed, stopped nothing" {
	on_terminal one_reader_piped
}

@test "where none of 0 to 2 is a terminal there is none inside: nothing to read, no foreground to take" {
	on_terminal no_terminal_given
}

@test "P05 P06 keys typed to a run without a terminal reach its whole group; ^Z stops it, fg goes on" {
	on_terminal keys_without_terminal
}

@test "CMD | snug -- pager: it takes its keys from /dev/tty; before, ^C reaches both, ^Z stops both" {
	on_terminal pager
}

@test "TSTP sent to snug stops the command, and then snug; what ignores it goes on" {
	on_terminal stop_sent
}

@test "^Z stops a script that waits for snug too, and fg continues both" {
	on_terminal stop_below_script
}

@test "where nobody could continue snug, ^Z stops nothing for good" {
	on_terminal stop_without_shell
}

@test "P05 P06 an interactive shell inside has job control of its own: its ^Z and ^C stay inside" {
	on_terminal shell_inside
}

@test "P08 S14 modes are set, and kept over a stop, inside; outside they are as before, also after KILL" {
	on_terminal modes_inside
}

@test "modes that the caller had set are found inside" {
	on_terminal modes_of_caller
}

@test "snug is killed: nothing inside lives on, and the terminal's modes are put back" {
	on_terminal killed
}

@test "TERM and HUP sent to snug reach the command, and the modes are put back" {
	on_terminal terminated
}

@test "the terminal goes away: the command gets SIGHUP, and everything ends" {
	on_terminal hang_up
}

@test "what ignores SIGHUP goes on without a terminal, and snug sleeps" {
	on_terminal hang_up_ignored
}

@test "a background job prints, is stopped when it reads, and goes on in the foreground" {
	on_terminal background
}

@test "a job that runs in the background and reads only once it is in front" {
	on_terminal background_running
}

@test "with tostop a background job is stopped when it prints" {
	on_terminal tostop
}

@test "CMD | pager: the pager has the terminal, ^C reaches both, ^Z stops both" {
	on_terminal pipeline
}

@test "CMD | filter, where CMD reads the terminal: it gets it, lines end as they should, and ^Z stops both" {
	on_terminal pipeline_reads
}

@test "x=\$(CMD): a program that asks on /dev/tty gets its answer there" {
	on_terminal substitution
}

@test "only those of 0 to 2 that are the terminal become the private one" {
	on_terminal files
}

@test "a terminal that is not the controlling one" {
	on_terminal no_session
}

@test "S05 TIOCSTI and TIOCLINUX under a terminal: refused, and nothing is typed into the shell" {
	on_terminal injection
}

@test "the caller's terminal is nowhere inside: no descriptor, no name, no session, no group" {
	on_terminal outer_reach
}

@test "P25 S14 less: draws, stops, goes on, follows the size" {
	need less
	on_terminal less
}

@test "P25 vim: stops with the screen put back, goes on, writes" {
	need vim
	on_terminal vim
}

@test "S14 a terminal made inside: script(1)" {
	need script
	on_terminal script
}

@test "a terminal multiplexer inside: its own terminals, its server in /tmp" {
	need tmux
	on_terminal tmux
}

@test "snug inside a terminal of script(1), and its exit code" {
	need script
	on_terminal nested
}

@test "P13 a storm of size changes and signals while bytes pass: none is lost" {
	on_terminal storm
}

@test "--timeout ends a command that has the terminal; the modes are put back" {
	on_terminal timeout
}

@test "a command that cannot be executed: the message is readable, the modes untouched" {
	on_terminal not_found
}

@test "an audit of many accesses shows its progress on a terminal, none with -q, none in a pipe" {
	on_terminal progress
	"$SNUG" audit --no-keep -- python3 -c 'import os
for i in range(30000): os.path.lexists("no-%d" % i)' 2>&1 | cat >"$WORK/piped"
	grep -q '^snug: ' "$WORK/piped"
	run cat "$WORK/piped"
	refute_out 'learning from'
	refute_out $'\033'
}

@test "every case of pty_cases.py is a test here" {
	for name in $(python3 "$BATS_TEST_DIRNAME/pty_cases.py" list); do
		grep -q "^.on_terminal $name\$" "$BATS_TEST_DIRNAME/run_term.bats" || fail "no test runs $name"
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
