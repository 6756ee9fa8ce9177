#!/usr/bin/env bats
# audit_cases.bats - acceptance scenarios, B01 to B18: what an audit must see and say
bats_require_minimum_version 1.5.0
load lib

# rows of the last run's report: "heading|kind|what|verdict|necessity"
rows() {
	python3 -c '
import json, sys
for f in json.load(open(sys.argv[1]))["findings"]:
    print("|".join([f["heading"], f["kind"], f["what"], f["verdict"], f["necessity"]]))' "$(last_run)/report.json"
}

@test "B01 a file in home is needed although home exists inside" {
	echo token >"$HOME/.npmrc"
	run "$SNUG" audit -- cat "$HOME/.npmrc"
	assert_status 0
	run rows
	assert_line '^needs\|read\|~/\.npmrc\|missing\|required$'
}

@test "B02 a name relative to a directory is the same as the absolute one" {
	mkdir -p "$HOME/.deep/dir"
	echo x >"$HOME/.deep/dir/file"
	for words in "cat \$HOME/.deep/dir/file" "cd \$HOME/.deep; cat dir/file" "cd \$HOME/.deep/dir; cat ./../dir/file" \
		"exec 9<\$HOME/.deep/dir; cat /proc/self/fd/9/file" "python3 -c 'import os; d = os.open(os.environ[\"HOME\"] + \"/.deep\", 0); os.read(os.open(\"dir/file\", 0, dir_fd=d), 9)'"; do
		run env -i PATH=/usr/bin:/bin HOME="$HOME" XDG_STATE_HOME="$XDG_STATE_HOME" "$SNUG" audit -- sh -c "$words"
		assert_status 0
		run rows
		assert_line '^needs\|read\|~/\.deep/dir/file\|missing\|required$'
	done
}

@test "B04 a new file in home: a narrow line, never home" {
	run "$SNUG" audit -- touch "$HOME/nope"
	assert_status 0
	run cat "$(suggested)"
	assert_out '~/nope'
	refute_line '"~/?"'
	run "$SNUG" --profile "$(suggested)" -- sh -c 'echo kept >"$HOME/nope"'
	assert_status 0
	assert_same kept "$(cat "$HOME/nope")"
}

@test "B05 mkdir -p of what is there asks for nothing" {
	mkdir -p "$HOME/.a/b"
	run "$SNUG" audit -- mkdir -p "$HOME/.a/b"
	run rows
	refute_line '^needs\|(write|create)'
	rm -r "$HOME/.a/b"
	run "$SNUG" audit -- mkdir -p "$HOME/.a/b/c"
	run rows
	refute_line '\|(write|create)\|~(/\.a)?\|'
}

@test "B06 runs of the same command merge to the same bytes; another one shows as 1 of 3" {
	mkdir -p "$HOME/.t"
	echo 1 >"$HOME/.t/one"
	echo 2 >"$HOME/.t/two"
	"$SNUG" trace -o a -- cat "$HOME/.t/one"
	"$SNUG" trace -o b -- cat "$HOME/.t/one"
	"$SNUG" trace -o c -- cat "$HOME/.t/one" "$HOME/.t/two"
	"$SNUG" learn ./a -o 1.yaml
	"$SNUG" learn ./a ./b -o 2.yaml
	diff <(grep -Ev '^(name|#)' 1.yaml) <(grep -Ev '^(name|#)' 2.yaml)
	"$SNUG" learn ./a ./b ./c >3.yaml
	"$SNUG" learn ./c ./b ./a >4.yaml
	cmp 3.yaml 4.yaml
	run "$SNUG" report ./a ./b ./c
	assert_out 'in 1 of 3 runs'
}

@test "B07 the suggestion loads and the confined run exits as the audited one did" {
	mkdir -p "$HOME/.t"
	echo 'exit 7' >"$HOME/.t/script"
	run "$SNUG" audit -- sh "$HOME/.t/script"
	assert_status 7
	"$SNUG" profile validate "$(suggested)"
	run "$SNUG" -- sh "$HOME/.t/script"
	[ "$status" != 7 ]
	run "$SNUG" --profile "$(suggested)" -- sh "$HOME/.t/script"
	assert_status 7
}

@test "B09 a connect that avoids the proxy is listed by address, marked, with its process" {
	need python3
	run "$SNUG" audit -- python3 -c '
import socket
s = socket.socket()
s.settimeout(0.2)
try: s.connect(("192.0.2.7", 9))
except OSError: pass'
	assert_status 0
	run rows
	assert_line '\|host\|192\.0\.2\.7:9\|'
	run "$SNUG" why 192.0.2.7
	assert_status 0
	assert_out python3
}

@test "B11 a static program is recorded like any other" {
	need cc
	printf '#include <fcntl.h>\n#include <unistd.h>\nint main(int c, char **v) { (void)c; return open(v[1], O_RDONLY) < 0; }\n' >s.c
	cc -static -o s s.c 2>/dev/null || skip "no static C library"
	echo x >"$HOME/.st"
	run "$SNUG" audit -- ./s "$HOME/.st"
	assert_status 0
	run rows
	assert_line '^needs\|read\|~/\.st\|missing\|required$'
}

# bats test_tags=only:user
@test "B11 a set-uid program that lost its bit makes the recording incomplete" {
	is_root && skip "root keeps what it has"
	su=
	for f in /usr/bin/su /bin/su /usr/bin/passwd /usr/bin/mount; do [ ! -u "$f" ] || su=$f; done
	[ -n "$su" ] || skip "no set-uid program here"
	run "$SNUG" audit --check -- "$su" --version
	[ "$status" = 4 ] || [ "$status" = 3 ] || { echo "$output"; return 1; }
	assert_out incomplete
}

@test "B11 namespaces inside are recorded or said" {
	skip_unless "no user namespaces here" unshare -Ur true
	echo x >"$HOME/.ns"
	run "$SNUG" audit -- unshare -Urm cat "$HOME/.ns"
	assert_status 0
	run rows
	echo "$output"
	assert_line '\|~/\.ns\|'
}

@test "B17 unused grants are told for binds, hosts, variables and calls alike" {
	cat >p.yaml <<-'END'
		binds:
		  - { source: /srv, mode: ro }
		env:
		  allow: [SNUG_NEVER]
		proxy:
		  allow_hosts: [never.example.org]
		syscalls:
		  allow: [perf_event_open]
	END
	run "$SNUG" audit --profile ./p.yaml --show-granted -- true
	assert_status 0
	unused=$(sed -n '/^granted, but not used/,/^$/p' <<<"$output")
	for word in /srv SNUG_NEVER never.example.org perf_event_open; do
		grep -qF "$word" <<<"$unused" || fail "no $word among: $unused"
	done
}

@test "B18 a link and its target are both needed, and the suggestion works" {
	mkdir -p "$HOME/.store" "$HOME/.conf"
	echo real >"$HOME/.store/file"
	ln -s ../.store/file "$HOME/.conf/link"
	run "$SNUG" audit -- cat "$HOME/.conf/link"
	assert_status 0
	run --separate-stderr "$SNUG" --profile "$(suggested)" -- cat "$HOME/.conf/link"
	assert_status 0
	assert_same real "$output"
}

@test "--network-only sees hosts and no files, and says so" {
	need python3
	echo x >"$HOME/.f"
	run "$SNUG" audit --network-only -- sh -c "cat $HOME/.f; python3 -c '
import socket
s = socket.socket()
s.settimeout(0.2)
try: s.connect((\"192.0.2.7\", 9))
except OSError: pass'"
	assert_status 0
	assert_out 'files are not seen'
	run rows
	assert_line '\|host\|192\.0\.2\.7:9\|'
	refute_out '.f|'
}

@test "--network-trace=addresses offers no proxy; off keeps nothing of the network" {
	need python3
	prog='
import socket
s = socket.socket()
s.settimeout(0.2)
try: s.connect(("192.0.2.7", 9))
except OSError: pass'
	"$SNUG" audit -q --network-trace=addresses -- python3 -c "$prog"
	run rows
	assert_line '192\.0\.2\.7:9'
	"$SNUG" audit -q --network-trace=off -- python3 -c "$prog"
	run rows
	refute_out 192.0.2.7
	! grep -q '192\.0\.2\.7' "$(last_run)/recording.ndjson" || grep '192\.0\.2\.7' "$(last_run)/recording.ndjson" | grep -qv '"ev"'
}

@test "why tells of a variable and of a directory" {
	mkdir -p "$HOME/.t"
	echo x >"$HOME/.t/a"
	WANTED=some-value run "$SNUG" audit -- sh -c 'echo $WANTED; cat $HOME/.t/a'
	run "$SNUG" why WANTED
	assert_status 0
	assert_line 'by .*sh'
	assert_line 'missing: would be unset'
	run "$SNUG" why "$HOME/.t"
	assert_status 0
	assert_out '.t/a'
}

@test "a snug that cannot work tells so in JSON too" {
	run "$SNUG" audit --no-keep -q -- "$SNUG" audit --json --report=r.json -- true
	assert_status 125
	python3 -c 'import json; r = json.load(open("r.json")); assert r["outcome"] == "snug-failed" and r["message"], r'
}

# bats test_tags=only:root
@test "what root may and a confined root may not is a finding, in both the same" {
	[ "$(id -u)" = 0 ] || skip "root alone may do it outside"
	: >f
	local py="/usr/bin/python3 -c" lock="import ctypes; c = ctypes.CDLL(None); b = ctypes.create_string_buffer(1 << 20)"
	[ -x /usr/bin/python3 ] || skip "no /usr/bin/python3"
	local calls=("ulimit -l 64; exec $py '$lock; exit(c.mlock(b, 1 << 20) != 0)'"
		"ulimit -l 0; exec $py '$lock; exit(c.mlock(b, 1) != 0)'"
		"ulimit -l 64; exec $py '$lock; exit(c.mlockall(1) != 0)'"
		"ulimit -Hn 64; ulimit -Hn 128" "chown 1 f" "chgrp 1 f" "$py 'import os; os.fchown(os.open(\"f\", 0), 1, 1)'"
		"$py 'import os; os.setgid(1)'" "$py 'import os; os.setuid(1)'" "$py 'import os; os.setgroups([0])'"
		"nice -n -5 true 2>&1 | grep -vq ." "chrt -f 1 true" "ionice -c1 true"
		"$py 'import socket; socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)'"
		"$py 'import socket; socket.socket(17, socket.SOCK_RAW, 0)'")
	for c in "${calls[@]}"; do
		rm -f f; : >f
		sh -c "$c" || continue # not even root may, here
		rm -f f; : >f
		run "$SNUG" audit --check -- sh -c "$c"
		assert_status 3
		rm -f f; : >f
		! "$SNUG" -- sh -c "$c" || { echo "works confined: $c"; false; }
	done
	# and what changes nothing is none
	for c in "chown 0:0 f" "$py 'import os; os.setuid(0); os.setgid(0)'" "nice -n 5 true" "ionice -c2 -n7 true" \
		"ulimit -l 64; exec $py '$lock; exit(c.mlock(b, 4096) != 0)'" "ulimit -Hn 64; ulimit -Sn 32; ulimit -Hn 48"; do
		run "$SNUG" audit --check -- sh -c "$c"
		assert_status 0
		"$SNUG" -- sh -c "$c"
	done
}

@test "what not even root may outside is no finding" {
	[ "$(id -u)" = 0 ] || skip "root alone could"
	need bash setpriv prlimit
	# shellcheck disable=SC2016
	local calls=('ulimit -n $(($(cat /proc/sys/fs/nr_open) + 1))'
		'setpriv --bounding-set -sys_resource prlimit --nofile=1000000:1000000 true'
		'setpriv --bounding-set -setuid setpriv --reuid 1 true' 'setpriv --bounding-set -setgid setpriv --regid 1 --clear-groups true'
		'ulimit -l 64; setpriv --bounding-set -ipc_lock /usr/bin/python3 -c "import ctypes
b = ctypes.create_string_buffer(1 << 20)
exit(ctypes.CDLL(None).mlock(b, 1 << 20) != 0)"')
	for c in "${calls[@]}"; do
		! bash -c "ulimit -Hn 1000; $c" 2>/dev/null || { echo "works outside: $c"; false; }
		run "$SNUG" audit --check -- bash -c "$c; true"
		assert_status 0
		assert_out "failed anyway"
	done
}

@test "N19 a socket family that is not there is a finding" {
	local c="import socket; socket.socket(40, socket.SOCK_STREAM)" # AF_VSOCK
	python3 -c "$c" || skip "no AF_VSOCK here"
	run "$SNUG" audit --check -- python3 -c "$c"
	assert_status 3
	assert_line 'socket'
	refute "$SNUG" -- python3 -c "$c"
}

@test "T30 threads that clone3 starts are recorded and work confined" {
	need strace
	local py=/usr/bin/python3
	[ -x $py ] || skip "no $py"
	cat >threads.py <<-'END'
		import os, threading
		def work(n):
		    open(os.path.expanduser(f"~/.threads/in{n}")).read()
		    open(f"out{n}", "w").write("x")
		for n in range(4):
		    t = threading.Thread(target=work, args=(n,)); t.start(); t.join()
	END
	mkdir "$HOME/.threads"
	for n in 0 1 2 3; do echo x >"$HOME/.threads/in$n"; done
	strace -f -o "$WORK/calls" -e trace=clone3 $py threads.py
	grep -q clone3 "$WORK/calls" || skip "this C library starts threads by clone(2)"
	rm -f out?
	run "$SNUG" audit -o t.yaml -- $py threads.py
	assert_status 0
	run rows
	for n in 0 1 2 3; do assert_line "^needs\\|read\\|~/\\.threads/in$n\\|missing\\|required$"; done
	[ -e out3 ]
	rm -f out?
	run "$SNUG" run -- $py threads.py
	assert_status 0 && assert_out 'No such file'
	run "$SNUG" run --profile ./t.yaml -- $py threads.py
	assert_status 0
	refute_out 'No such file'
	[ -e out0 ] && [ -e out3 ]
}

@test "G10 links to a sibling and to the directory itself: denies end, mean the real paths, and patterns are no paths" {
	mkdir -p tree/sib
	ln -s . tree/loop
	ln -s sib tree/other
	echo content >tree/sib/f
	for spelled in tree/sib tree/other tree/loop/loop/sib; do
		run "$SNUG" explain --deny-read=$spelled
		assert_status 0
		for path in tree/sib/f tree/other/f tree/loop/loop/loop/sib/f; do
			run "$SNUG" run --deny-read=$spelled -- cat $path
			[ "$status" != 0 ] || fail "$path under --deny-read=$spelled"
			refute_out content
		done
	done
	run "$SNUG" run "--allow-read=$HOME/*.conf" -- true
	assert_status 125
	assert_out '*.conf does not exist'
	printf 'name: g\nmask: ["{project}/*.c"]\n' >g.yaml
	run "$SNUG" explain --profile ./g.yaml
	assert_out 'taken literally: paths have no patterns'
}

@test "G11 a program called by a relative name from elsewhere, with its interpreter" {
	mkdir -p "$WORK/elsewhere"
	printf '#!/bin/sh\nprintf "%%s\\n" "$(basename "$PWD")" "$0"\n' >tool
	chmod +x tool
	cd "$WORK/elsewhere"
	local up=../project
	[ "$(realpath "$up")" = "$PROJ" ] || up=$(realpath --relative-to=. "$PROJ")
	want=$("$up/tool")
	run "$SNUG" audit -o t.yaml -- "$up/tool"
	assert_out "$want"
	run rows
	assert_line '^needs\|run\|[^|]*/tool\|missing\|required$'
	run -127 "$SNUG" run -- "$up/tool"
	assert_status 127
	run --separate-stderr "$SNUG" run --profile ./t.yaml -- "$up/tool"
	assert_status 0
	assert_same "$want" "$output"
}

@test "B12 --check: status 4 and the reason where the recording is incomplete alone, 3 before 4, both in the JSON" {
	stays='sleep 60 >/dev/null 2>&1 </dev/null & echo $! >pid'
	run "$SNUG" audit --check --format=json --report="$WORK/r.json" -- sh -c "$stays"
	kill "$(cat pid)"
	assert_status 4
	assert_line '^snug: check: incomplete: .*sleep still ran .* \(exit 4\)$'
	python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); assert r["incomplete"] and r["outcome"] == "incomplete", r' "$WORK/r.json"
	echo x >"$HOME/.both"
	run "$SNUG" audit --check --format=json --force --report="$WORK/r.json" -- sh -c "cat ~/.both; $stays"
	kill "$(cat pid)"
	assert_status 3
	assert_line '^snug: check: 1 finding \(exit 3\)$'
	python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); assert r["incomplete"] and r["outcome"] == "findings", r' "$WORK/r.json"
}

# bats test_tags=only:user
@test "a profile that may not be read: what, and what to do" {
	is_root && skip "root may read it"
	printf 'name: p\n' >p.yaml
	chmod 000 p.yaml
	for verb in audit run explain; do
		run "$SNUG" $verb --profile ./p.yaml -- touch ran
		assert_status 125
		assert_line 'p\.yaml: Permission denied.*make it readable'
		[ ! -e ran ]
	done
}
