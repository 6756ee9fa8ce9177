#!/usr/bin/env bats
# trace_network.bats - who is contacted, by address; connections past the proxy are marked
load lib

rec() { # rec ARG..: events in $output, the command's own output in $said
	said=$("$O/tests/tools/rec" -o "$WORK/events" "$@")
	output=$(cat "$WORK/events")
}

@test "inet, inet6, datagrams with an address, listen" {
	rec "$(target nets)" tcp tcp6 udp sendto sendmsg sendmmsg listen packet null
	assert_line 'connect flags 1 marks 0 inet 127.0.0.1:9 '
	assert_line 'connect flags 1 marks 0 inet6 \[::1\]:9 '
	assert_line 'connect flags 2 marks 0 inet 127.0.0.1:9 '
	assert_line 'send flags 2 marks 0 inet 127.0.0.1:9 = ok\? x3'
	assert_line 'send flags 2 marks 0 inet 127.0.0.1:10 = ok\? x1'
	assert_line 'bind .* inet 127.0.0.1:0 '
	assert_line 'listen .* inet 127.0.0.1:[1-9][0-9]* '
	assert_line 'syscall flags 11 marks 0 socket = '
	# a null address names nobody
	assert_line 'status 0'
	grep -q 'null EFAULT' <<<"$said"
}

@test "a connect over loopback is refused where nobody listens, and not known where somebody does" {
	need python3
	rec "$(target nets)" tcp tcp6
	assert_line 'inet 127.0.0.1:9 = ECONNREFUSED '
	assert_line 'inet6 .::1.:9 = ECONNREFUSED '
	python3 -c 'import socket, time
s = socket.socket(); s.bind(("127.0.0.1", 0)); s.listen(); print(s.getsockname()[1], flush=True); time.sleep(30)' >port &
	local pid=$!
	until [ -s port ]; do sleep 0.05; done
	rec "$(target nets)" "tcp:$(cat port)"
	kill $pid
	assert_line "inet 127.0.0.1:$(cat port) = ok[?] "
}

@test "past an offered proxy: marked, unless it is loopback or carries no data" {
	skip_unless "sockets cannot be tied to loopback here" "$(target nets)" away
	rec -p 9 "$(target nets)" tcp:9 tcp:10 away udp
	refute_line 'connect flags 1 .*127.0.0.1:9 '
	assert_line 'connect flags 1 marks 0 inet 127.0.0.1:10 '
	assert_line 'connect flags 1 marks 8 inet 192.0.2.7:443 '
	assert_line 'connect flags 2 marks 0 inet 127.0.0.1:9 '
	rec "$(target nets)" away
	assert_line 'connect flags 1 marks 0 inet 192.0.2.7:443 '
}

@test "network only: connects and programs, no files" {
	echo x >f
	rec -n sh -c 'cat f; "$0" tcp' "$(target nets)"
	grep -q 'tcp ECONNREFUSED' <<<"$said"
	assert_line 'connect flags 1 .*127.0.0.1:9 '
	assert_line '^proc .* exe .*/nets '
	refute_line '^event [0-9]+ (open|stat|access|exec|load) '
}
