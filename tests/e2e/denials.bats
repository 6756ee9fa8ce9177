#!/usr/bin/env bats
# denials.bats - run --denials: what a confined command asked for and did not get
bats_require_minimum_version 1.5.0
load lib

@test "an absent file is named with the grant that would help, and the status is the command's" {
	echo x >"$HOME/.conf"
	run "$SNUG" run --denials -- sh -c 'cat ~/.conf || exit 7'
	assert_status 7
	assert_line 'read +~/\.conf +missing: would be ENOENT'
	assert_out 'grant: { source: "~/.conf", mode: ro, optional: true }'
	assert_out "snug learn --update=FILE last"
}

@test "the printed next command works; the run is kept like an audit's, for report, why and learn" {
	echo x >"$HOME/.conf"
	run "$SNUG" run --denials -- cat "$HOME/.conf"
	assert_status 1
	run "$SNUG" run --profile "$(suggested)" -- cat "$HOME/.conf"
	assert_status 0
	assert_out x
	run "$SNUG" report last
	assert_out '~/.conf'
	run "$SNUG" why "$HOME/.conf" last
	assert_out 'cat'
	printf 'name: p\n' >p.yaml
	run "$SNUG" learn --update=p.yaml last
	assert_status 0
	run "$SNUG" --profile ./p.yaml -- cat "$HOME/.conf"
	assert_status 0
}

@test "nothing is said of what it got, and it stays confined" {
	echo x >in
	run "$SNUG" run --denials -- sh -c 'cat in; echo y >out; cat out; ls /etc/shadow'
	assert_status 2
	assert_line '^x$'
	assert_line '^y$'
	assert_line 'read +/etc/shadow +missing'
	run "$SNUG" run --denials -- sh -c 'cat in >/dev/null'
	assert_status 0
	assert_out "clean, all that it needed is granted"
}

@test "a denied call is refused by the recorder with the same errno, and named" {
	need python3
	local script='
import ctypes, os, sys
libc = ctypes.CDLL(None, use_errno=True)
for nr, args in ((int(sys.argv[1]), (0x10000000, 0, 0, 0)), (int(sys.argv[2]), (0, 0, 0, 0))):
    r = libc.syscall(nr, *args)
    print(nr, r, os.strerror(ctypes.get_errno()))'
	[ "$(uname -m)" = x86_64 ] || skip "numbers of x86-64"
	# unshare(CLONE_NEWUSER) and ptrace(PTRACE_TRACEME)
	run "$SNUG" run -- python3 -c "$script" 272 101
	local plain=$output
	run --separate-stderr "$SNUG" run --denials -- python3 -c "$script" 272 101
	assert_same "$output" "$plain"
	[[ $output == *"Operation not permitted"* ]]
	grep -q 'syscall.*unshare' <<<"$stderr" || fail "$stderr"
	grep -q 'syscall.*ptrace' <<<"$stderr" || fail "$stderr"
}

@test "a host that is not granted is named" {
	need curl
	run "$SNUG" run --denials --allow-net=example.org -- curl -sS -o /dev/null http://other.example.org:8080/
	assert_line 'host +other\.example\.org:8080 +missing: the proxy would say 403'
	assert_out 'allow_hosts: "other.example.org:8080"'
}

@test "a command that is not there or cannot be executed ends as without" {
	run "$SNUG" run --denials -- no-such-command
	assert_status 127
	echo x >plain
	run "$SNUG" run --denials -- ./plain
	assert_status 126
}

@test "a signal, a time limit and many processes end as without" {
	run "$SNUG" run --denials -- sh -c 'kill -TERM $$'
	assert_status 143
	run "$SNUG" run --denials --timeout=1 -- sleep 30
	assert_status 124
	run "$SNUG" run --denials -- sh -c 'for i in 1 2 3 4 5 6 7 8; do (cat /etc/hostname >/dev/null; :) & done; wait; echo all'
	assert_status 0
	assert_out all
}

@test "an untrusted profile of a checkout is refused as by run" {
	mkdir -p .snug/profiles .git
	printf 'name: own\n' >.snug/profiles/own.yaml
	run "$SNUG" run --denials +own -- touch ran
	assert_status 125
	[ ! -e ran ]
}

@test "on a terminal a failure offers it" {
	need python3
	run python3 - "$SNUG" <<-'END'
	import os, pty, sys
	sys.exit(os.waitstatus_to_exitcode(pty.spawn([sys.argv[1], "run", "--", "sh", "-c", "exit 3"])))
	END
	assert_status 3
	assert_out "snug run --denials tells"
	run "$SNUG" run -- sh -c 'exit 3'
	refute_out "--denials"
}

@test "a set-uid program gains nothing in any confined run: that is no gap in the recording" {
	local su
	su=$(command -v su) || skip "no set-uid program here"
	[ -u "$su" ] || skip "su is not set-uid here"
	run "$SNUG" run --denials -- sh -c "$su --version; true"
	assert_status 0
	refute_out 'incomplete'
	refute_out 'set-uid'
}
