#!/usr/bin/env bats
# audit_loop.bats - what an audit suggests works when the printed next command is pasted; what it calls missing fails
bats_require_minimum_version 1.5.0
load lib

# loop CMD..: audit, then the same confined under the suggestion; the status of that run in $status
loop() {
	"$SNUG" audit --force -o "$WORK/p.yaml" -- "$@" >"$WORK/out" 2>"$WORK/report" </dev/null || return 1
	run "$SNUG" --profile "$WORK/p.yaml" -- "$@"
}

a_tool() {
	mkdir -p "$HOME/tools/bin"
	printf '#!/bin/sh\necho from a tool\n' >"$HOME/tools/bin/mytool"
	chmod +x "$HOME/tools/bin/mytool"
	PATH=$HOME/tools/bin:$PATH
}

@test "a tool of the user's PATH is found confined: called itself, by a shell, by make, by python" {
	a_tool
	printf 'all:\n\tmytool\n' >Makefile
	for how in "mytool" "sh -c 'mytool; true && mytool'" "make -s" "env mytool"; do
		eval "loop $how"
		assert_status 0
		assert_out "from a tool"
		grep -q tools/bin\" "$WORK/p.yaml"
	done
	need python3
	loop python3 -c 'import subprocess; subprocess.run(["mytool"], check=True)'
	assert_status 0
}

@test "the same tool called by its path asks for no directory in PATH" {
	a_tool
	loop "$HOME/tools/bin/mytool"
	assert_status 0
	refute grep -q prepend_path "$WORK/p.yaml"
}

@test "where one came from is no need: bash looks at OLDPWD" {
	need bash
	mkdir -p "$WORK/elsewhere"
	OLDPWD=$WORK/elsewhere run "$SNUG" audit --check -- bash -c 'true; true'
	assert_status 0
	assert_out "check: clean"
}

@test "S17 a working directory reached through a link is no need: shells look at PWD" {
	mkdir -p "$WORK/real/pp"
	ln -s real "$WORK/symd"
	echo 1 >"$WORK/real/pp/in"
	cd "$WORK/symd/pp"
	for shell in sh bash; do
		run "$SNUG" audit --check -- $shell -c 'cat in'
		assert_status 0
		assert_out "check: clean"
		run "$SNUG" -- $shell -c 'cat in'
		assert_status 0
	done
}

@test "a command that ignores TERM is ended by --timeout, and reported" {
	run timeout 30 "$SNUG" audit --timeout=1 -- env --ignore-signal=TERM sleep 40
	assert_status 124
	assert_out "sleep"
}

@test "a clock in a name, in seconds to nanoseconds, is a new name each time: two audits suggest the same" {
	mkdir -p "$HOME/log"
	for form in %s %s%3N %s%N %Y%m%d-%H%M%S; do
		for i in 1 2; do
			"$SNUG" audit -q --audit-out=s$i.yaml -- sh -c "echo 1 >\"\$HOME/log/run-\$(date +$form)\""
			sleep 1
		done
		grep -v ^name: s1.yaml >a
		grep -v ^name: s2.yaml >b
		diff a b || { echo "$form"; return 1; }
		refute grep -E 'run-[0-9]{8}' s1.yaml
		rm s1.yaml s2.yaml
	done
}
