#!/usr/bin/env bats
# audit_judged.bats - what the audit says of an access, against what happens confined
bats_require_minimum_version 1.5.0
load lib

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

@test "what a file of home held is missing when it is made anew: appended to and read, updated in place" {
	for script in 'echo 2 >>~/l; cat ~/l' 'truncate -s 1 ~/l; cat ~/l' 'exec 7<>~/l; cat <&7'; do
		echo a >"$HOME/l"
		run "$SNUG" audit --check -- sh -c "$script"
		assert_status 3
		assert_out "confined it begins empty"
		want=$(cat "$HOME/l")
		echo a >"$HOME/l"
		run "$SNUG" --profile "$(suggested)" -- sh -c "$script"
		assert_status 0
		assert_same "$(cat "$HOME/l")" "$want"
		echo a >"$HOME/l"
		run "$SNUG" -- sh -c "$script"
		refute_out a
	done
	for script in 'echo 2 >>~/l' 'echo 2 >~/l; echo 3 >>~/l; cat ~/l' 'echo 3 >~/n; cat ~/n >~/l; cat ~/l'; do
		run "$SNUG" audit --check -- sh -c "$script"
		assert_status 0
		assert_out "works, thrown away at the end"
	done
}

@test "a POSIX message queue is missing, for it cannot be opened confined" {
	need /usr/bin/python3
	cat >queue.py <<-'PY'
		import ctypes, os, sys
		c = ctypes.CDLL(None, use_errno=True)
		name = b"/snug-test-%d" % os.getpid()
		q = c.mq_open(name, os.O_CREAT | os.O_RDWR, 0o600, None)
		print(os.strerror(ctypes.get_errno()))
		c.mq_unlink(name)
		sys.exit(q < 0)
	PY
	skip_unless "no message queues here" /usr/bin/python3 queue.py
	run "$SNUG" audit --check -- /usr/bin/python3 queue.py
	assert_status 3
	assert_line 'mq_open .*missing: would be EACCES'
	assert_out "message queues cannot be opened"
	run "$SNUG" -- /usr/bin/python3 queue.py
	assert_status 1
	assert_out "Permission denied"
}

@test "process.cwd of a requested profile: the command is watched where a confined run starts" {
	mkdir "$HOME/d"
	printf 'process: { cwd: "~/d" }\nbinds:\n  - { source: "~/d", mode: ro }\n' >p.yaml
	run "$SNUG" audit --check --profile ./p.yaml -- sh -c 'pwd; echo 1 >w'
	assert_status 3
	assert_out "$HOME/d"
	assert_line '~/d/w +missing: would be EROFS'
	[ ! -e w ] || fail "it ran elsewhere"
	run "$SNUG" --profile ./p.yaml -- sh -c 'pwd; echo 2 >w'
	assert_status 2
	assert_out "$HOME/d"
	# there only confined
	printf 'process: { cwd: "/opt/snug-test" }\nbinds:\n  - { source: "~/d", target: /opt/snug-test, mode: ro }\n' >p.yaml
	run "$SNUG" audit --check --profile ./p.yaml -- true
	assert_status 4
	assert_out "is no directory of the host"
}

@test "datagrams to a service on the host's loopback do not arrive confined; those to a socket of its own do" {
	need /usr/bin/python3
	cat >serve.py <<-'PY'
		import socket, sys
		d = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
		for port in range(20000, 30000):
		    try:
		        d.bind(("127.0.0.1", port))
		        break
		    except OSError:
		        pass
		open("port.new", "w").write(str(port))
		import os; os.rename("port.new", "port")
		d.settimeout(60)
		while True:
		    _, who = d.recvfrom(9)
		    d.sendto(b"answer", who)
	PY
	cat >ask.py <<-'PY'
		import socket, sys
		s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
		s.settimeout(1)
		s.sendto(b"q", ("127.0.0.1", int(open("port").read())))
		print(s.recv(9).decode())
	PY
	/usr/bin/python3 serve.py 3>&- &
	pid=$!
	for _ in $(seq 100); do [ -e port ] && break; sleep 0.05; done
	run "$SNUG" audit --check -- /usr/bin/python3 ask.py
	kill "$pid"
	assert_status 3
	assert_out answer
	assert_out "only with --network host"
	run "$SNUG" why "127.0.0.1:$(cat port)" last
	assert_line '^ +missing, .*nobody listens'
	rm port
	# shellcheck disable=SC2016
	run "$SNUG" audit --check -- sh -c '/usr/bin/python3 serve.py & while [ ! -e port ]; do sleep 0.05; done; /usr/bin/python3 ask.py; kill $!; rm port'
	assert_status 0
	assert_out answer
	# shellcheck disable=SC2016
	run "$SNUG" -- sh -c '/usr/bin/python3 serve.py & while [ ! -e port ]; do sleep 0.05; done; /usr/bin/python3 ask.py; kill $!; rm port'
	assert_out answer
}

@test "a file of home that is removed gets no line, which would make that fail" {
	echo 1 >"$HOME/.l"
	run "$SNUG" audit -- sh -c 'rm -f ~/.l || exit 5; test -e ~/.l || echo gone'
	assert_out "a line for it would make that fail"
	echo 1 >"$HOME/.l"
	paste_next
	assert_status 0
	assert_out gone
}

@test "mv across mounts, and over a file of home: what it copied or replaced is there" {
	mkdir "$HOME/m"
	echo moved >"$HOME/m/f"
	run "$SNUG" audit --check --allow-write="$HOME/m" -- sh -c 'mv ~/m/f f; cat f'
	assert_status 0
	echo moved >"$HOME/m/f"
	rm f
	run "$SNUG" --allow-write="$HOME/m" -- sh -c 'mv ~/m/f f; cat f'
	assert_status 0
	assert_out moved
	echo old >"$HOME/.l"
	run "$SNUG" audit -- sh -c 'echo new >~/.n; mv ~/.n ~/.l; cat ~/.l'
	refute_line '^ +(read|write|create) +~/[.]n '
	run "$SNUG" -- sh -c 'echo new >~/.n; mv ~/.n ~/.l; cat ~/.l'
	assert_status 0
	assert_out new
}

@test "a program found through a relative directory of PATH is found confined" {
	mkdir bin
	printf '#!/bin/sh\necho found\n' | tee snugtest-here >bin/snugtest-bin
	chmod +x snugtest-here bin/snugtest-bin
	for name in snugtest-here snugtest-bin; do
		PATH=.:bin:$PATH run "$SNUG" audit -- "$name"
		assert_status 0
		assert_out "env.prepend_path: {project}"
		paste_next
		assert_status 0
		assert_out found
		PATH=.:bin:$PATH run "$SNUG" -- "$name"
		assert_status 127
	done
}

@test "runs of two checkouts are not judged by one of them" {
	mkdir "$HOME/a" "$HOME/b"
	for d in a b; do
		(cd "$HOME/$d" && echo x >x && "$SNUG" trace -o "$HOME/$d.rec" -- sh -c 'cat x; cat ~/a.txt; true')
	done
	for verb in learn report; do
		run "$SNUG" $verb "$HOME/a.rec" "$HOME/b.rec"
		assert_status 125
		assert_out "differ in their project"
	done
	run "$SNUG" learn "$HOME/a.rec" "$HOME/a.rec"
	assert_status 0
	run "$SNUG" learn "$HOME/b.rec"
	assert_status 0
}

@test "a HOME that is a link: what is left there is lost, lines say ~, credentials are guarded, and the link stands inside" {
	mkdir -p "$HOME/real/pj" "$HOME/real/.ssh"
	ln -s real "$HOME/hl"
	cd "$HOME/real/pj"
	echo seen >"$HOME/real/f"
	echo key >"$HOME/real/.ssh/id"
	real=$HOME/real
	export HOME=$HOME/hl
	# shellcheck disable=SC2016
	run "$SNUG" audit -o s.yaml -- sh -c 'echo 2 >~/new; cat ~/f ~/.ssh/id; pwd; echo $HOME'
	assert_status 0
	grep -q 'written, then lost' <<<"$output"
	refute grep -q "$real" s.yaml
	grep -q '^  - { source: "~/f", mode: ro' s.yaml
	grep -q '^ *#.*~/.ssh/id' s.yaml
	rm "$real/new"
	# shellcheck disable=SC2016
	run "$SNUG" --profile ./s.yaml -- sh -c 'cat ~/f; echo $HOME; pwd; cat ~/.ssh/id || echo hidden'
	assert_status 0
	assert_same "seen $HOME $real/pj hidden" "$(grep -v '^cat:' <<<"$output" | xargs)"
}
