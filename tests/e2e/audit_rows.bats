#!/usr/bin/env bats
# audit_rows.bats - what a row says, and that what it offers works confined
bats_require_minimum_version 1.5.0
load lib

@test "reads in /sys: special.sys, and the printed command works" {
	run "$SNUG" audit -- sh -c 'cat /sys/class/net/lo/address && ls /sys/class/net >/dev/null'
	assert_status 0
	assert_line 'grant: special\.sys: ro'
	run cat "$(suggested)"
	assert_line '^  sys: ro$'
	run "$SNUG" -- cat /sys/class/net/lo/address
	assert_status 1
	run "$SNUG" audit -- cat /sys/class/net/lo/address
	paste_next
	assert_status 0
	assert_out 00:00:00:00:00:00
	printf 'special:\n  proc: true\n' >p.yaml
	run "$SNUG" audit --update=p.yaml -- cat /sys/class/net/lo/address
	assert_line '^\+  sys: ro$'
	run "$SNUG" audit --check --profile ./p.yaml -- cat /sys/class/net/lo/address
	assert_status 0
}

@test "a call that base denies is offered as a comment, with the risk" {
	need python3
	run "$SNUG" audit -- python3 -c 'import ctypes; ctypes.CDLL(None).syscall(298, 0, 0, 0, 0, 0)'
	run cat "$(suggested)"
	assert_line '^#     - perf_event_open  # measures other programs'
	refute_line '^syscalls:'
}

@test "--check=all of a plain program is clean: what a line grants and is not there is no probe" {
	run "$SNUG" audit --check=all -- true
	assert_status 0
	assert_same 'snug: check: clean' "${lines[-1]}"
	run "$SNUG" audit --check=all +git -- git --version
	assert_same 'snug: check: clean' "${lines[-1]}"
	printf 'binds:\n  - { source: "~/.toolrc", mode: ro, optional: true }\n' >p.yaml
	run "$SNUG" audit --check=all --profile ./p.yaml -- sh -c 'cat ~/.toolrc; true'
	assert_same 'snug: check: clean' "${lines[-1]}"
	run "$SNUG" why --profile ./p.yaml "~/.toolrc" last
	assert_line 'granted by \./p\.yaml:2, ENOENT there too'
	run "$SNUG" audit --check=all -- sh -c 'cat ~/.toolrc; true'
	assert_status 3
}

@test "--update into a list with nothing in it; what cannot be added to is said before the command starts" {
	echo x >"$HOME/.conf"
	printf 'binds:\n' >p.yaml
	run "$SNUG" audit --update=p.yaml -- sh -c 'cat "$HOME/.conf"; touch ran'
	assert_status 0
	rm ran
	run "$SNUG" --profile ./p.yaml -- cat "$HOME/.conf"
	assert_out x
	printf '{ name: p, env: ~, binds: ~ }\n' >q.yaml
	cp q.yaml before
	run "$SNUG" audit --update=q.yaml -- touch ran
	assert_status 125
	[ ! -e ran ] || fail "the command was started"
	cmp q.yaml before
}

@test "after --network-only the line before the last says what was not looked at, and so does the JSON" {
	run "$SNUG" audit --network-only --check -q -- cat /etc/hostname
	assert_status 0
	assert_same 'snug: check: clean' "${lines[-1]}"
	assert_same 'snug: check: hosts only; files were not looked at' "${lines[-2]}"
	"$SNUG" audit --network-only --format=json --report=r.json -- true
	assert_same '"hosts"' "$(python3 -c 'import json; print(json.dumps(json.load(open("r.json"))["scope"]))')"
	run "$SNUG" audit --network-trace=off --check -q -- true
	assert_same 'snug: check: files only; hosts were not looked at' "${lines[-2]}"
	run "$SNUG" audit --check -q -- true
	assert_same 'snug: check: clean' "$output"
}

@test "test -w on a read-only grant: the report and why say the same" {
	echo x >"$HOME/ro"
	printf 'binds:\n  - { source: "~/ro", mode: ro }\n' >p.yaml
	run "$SNUG" audit --check --profile ./p.yaml -- sh -c 'test -w "$HOME/ro"'
	assert_status 0
	run "$SNUG" report --show-granted last
	assert_line '~/ro +missing: would be EROFS'
	assert_out 'only asked whether it may be written'
	run "$SNUG" why "~/ro" last
	assert_line 'would be EROFS, .*; only asked whether it may be written, so no finding'
	run "$SNUG" --profile ./p.yaml -- sh -c 'test -w "$HOME/ro"'
	assert_status 1
}

@test "test -w of a file that stands in its words is for the answer: a finding, and the printed command works" {
	echo x >"$HOME/f"
	printf 'home: host\n' >p.yaml
	for options in "" "--profile=./p.yaml"; do
		# shellcheck disable=SC2086
		run "$SNUG" audit --check $options -- test -w "$HOME/f"
		assert_status 3
		assert_line '^ +write +~/f +missing: .* mode: rw'
		paste_next
		assert_status 0
	done
	printf 'binds:\n  - { source: "~/f", mode: ro }\n' >p.yaml
	run "$SNUG" audit --check --profile ./p.yaml -- test -w "$HOME/f"
	assert_status 3
	assert_out "says read-only"
	run "$SNUG" why "~/f" last
	assert_line 'would be EROFS'
	refute_out 'so no finding'
}

@test "a descriptor that the command was given: the report names it, and --keep-fd hands it on" {
	echo given >f
	run "$SNUG" audit -- sh -c 'cat <&7' 7<f
	assert_line '^snug: hint: confined it gets no descriptor .*7 \(\{project\}/f\).*--keep-fd=7'
	run "$SNUG" -- sh -c 'cat <&7' 7<f
	[ "$status" != 0 ] || fail "it had the descriptor all the same"
	run "$SNUG" --keep-fd=7 -- sh -c 'cat <&7' 7<f
	assert_status 0
	assert_out given
	# a pipe only where its name is used: they stray into many programs
	run bash -c '"$SNUG" audit -- cat <(echo piped) 4>&- 8< <(true)'
	assert_line '^piped'
	assert_line '^snug: hint: confined it gets no descriptor 6[0-9] \(a pipe\); if it uses that: --keep-fd=6[0-9]$'
	refute_out '8 (a pipe)'
	run "$SNUG" audit -- true 7</dev/null 8<.
	refute_out 'descriptor 7'
	refute_out '8 ('
}

@test "N19 a row of a socket names its family" {
	need python3
	run "$SNUG" audit -- python3 -c '
import socket
for family, kind in (38, 5), (40, 1), (17, 3):
    try: socket.socket(family, kind)
    except OSError: pass'
	run "$SNUG" report last
	assert_line 'syscall +socket AF_ALG'
	assert_line 'syscall +socket AF_VSOCK'
	assert_line 'syscall +socket AF_PACKET'
	run "$SNUG" why "socket AF_ALG" last
	assert_status 0
	assert_out 'socket family'
}

# uncomment FILE: all commented lines
uncomment() { sed -i -E 's/^( *)# ( *)(- |binds:|env:|set:|override:|allow:|syscalls:|TMPDIR:)/\1\2\3/' "$1"; }

@test "git config --global under +git: said plainly, and the commented lines make the printed command work" {
	need git
	git config --global user.name before
	run "$SNUG" audit +git -- git config --global user.name audited
	assert_status 0
	assert_out 'saved anew, which the bind of builtin:git:5 forbids: mode copy would do'
	assert_out 'instead of builtin:git:5, with override: true: a commented line'
	assert_line '^snug: left out of that: 1 of 1 accesses, for what is said there'
	local line
	line=$(sed -n 's/^snug: next: snug //p' <<<"$output")
	run bash -c "\"\$SNUG\" $line"
	[ "$status" != 0 ] || fail "it works as it stands, so that nothing should be said"
	uncomment "$(suggested)"
	git config --global user.name before
	for _ in 1 2 3; do
		run bash -c "\"\$SNUG\" ${line}"
		assert_status 0
		assert_same audited "$(git config --global user.name)"
	done
}

@test "a plain mkdir: no line that makes it fail, and what is lost is said; with -p the line works three times" {
	run "$SNUG" audit -- sh -c 'mkdir "$HOME/new" && echo x >"$HOME/new/f"'
	assert_status 0
	assert_out 'exists before the start, so that a mkdir without -p fails'
	run grep -v '^ *#' "$(suggested)"
	refute_out '~/new'
	rm -r "$HOME/new"
	run "$SNUG" --profile "$(suggested)" -- sh -c 'mkdir "$HOME/new" && echo x >"$HOME/new/f"'
	assert_status 0
	[ ! -e "$HOME/new" ] || fail "it was kept, though nothing grants it"
	run "$SNUG" audit -- sh -c 'mkdir -p "$HOME/new" && echo x >"$HOME/new/f"'
	rm -r "$HOME/new"
	for i in 1 2 3; do
		run "$SNUG" --profile "$(suggested)" -- sh -c 'mkdir -p "$HOME/new" && echo x >>"$HOME/new/f"'
		assert_status 0
		assert_same "$i" "$(wc -l <"$HOME/new/f")"
	done
	printf 'binds:\n  - { source: "~/made", mode: rw, create: dir }\n' >p.yaml
	run "$SNUG" audit --check --profile ./p.yaml -- mkdir "$HOME/made"
	assert_status 3
	assert_out 'makes it before the start; mkdir -p would bear that'
	rmdir "$HOME/made"
	run "$SNUG" --profile ./p.yaml -- mkdir "$HOME/made"
	assert_status 1
}

@test "a temporary file moved into the project: TMPDIR as a comment, which works" {
	need python3
	cat >save.py <<-'E'
	import os, tempfile
	fd, name = tempfile.mkstemp()
	os.write(fd, b"saved")
	os.rename(name, "out.txt")
	E
	run "$SNUG" audit -- python3 save.py
	assert_status 0
	assert_out 'TMPDIR in the project avoids it: a commented line'
	rm out.txt
	run "$SNUG" --profile "$(suggested)" -- python3 save.py
	assert_status 1
	assert_out 'cross-device'
	uncomment "$(suggested)"
	for _ in 1 2 3; do
		run "$SNUG" --profile "$(suggested)" -- python3 save.py
		assert_status 0
		assert_same saved "$(cat out.txt)"
	done
}

@test "sqlite with a write-ahead log in home: three lines, which keep what is written, beside a host's connection too" {
	need sqlite3 python3
	sqlite3 "$HOME/app.db" 'pragma journal_mode=wal; create table t(a)' >/dev/null
	run "$SNUG" audit -- sqlite3 "$HOME/app.db" 'insert into t values(1)'
	assert_status 0
	cp "$(suggested)" s.yaml
	run cat s.yaml
	assert_line 'source: "~/app\.db", mode: rw'
	assert_line 'source: "~/app\.db-shm", mode: rw, create: file'
	assert_line 'source: "~/app\.db-wal", mode: rw, create: file'
	for i in 2 3 4; do
		run "$SNUG" --profile ./s.yaml -- sqlite3 "$HOME/app.db" 'insert into t values(2); pragma integrity_check'
		assert_status 0
		assert_out ok
		assert_same "$i" "$(sqlite3 "$HOME/app.db" 'select count(*) from t')"
	done
	run "$SNUG" audit --check --profile ./s.yaml -- sqlite3 "$HOME/app.db" 'insert into t values(3)'
	assert_status 0
	cat >host.py <<-'E'
	import os, sqlite3, subprocess, sys
	host = sqlite3.connect(os.environ["HOME"] + "/app.db", isolation_level=None)
	host.execute("insert into t values(9)")
	inside = subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=60, text=True).stdout
	print("inside", inside.strip(), "host", host.execute("select count(*) from t").fetchone()[0])
	E
	run python3 host.py "$SNUG" --profile ./s.yaml -- sqlite3 "$HOME/app.db" 'insert into t values(4); select count(*) from t'
	assert_status 0
	assert_out 'inside 7 host 7'
	assert_same ok "$(sqlite3 "$HOME/app.db" 'pragma integrity_check')"
}

@test "the session bus and other ways to the outside are comments with the reason" {
	need python3
	mkdir -m 700 "$HOME/run"
	export XDG_RUNTIME_DIR=$HOME/run
	cat >bus.py <<-'E'
	import os, socket
	path = os.environ["XDG_RUNTIME_DIR"] + "/bus"
	s = socket.socket(socket.AF_UNIX); s.bind(path); s.listen()
	if os.fork() == 0:
	    os.execvp(os.environ["SNUG"], [os.environ["SNUG"], "audit", "--", "python3", "-c",
	        "import socket; socket.socket(socket.AF_UNIX).connect('" + path + "')"])
	os.wait()
	E
	run python3 bus.py
	assert_out 'the session bus starts programs outside: a commented line, for you to decide'
	run grep -v '^ *#' "$(suggested)"
	refute_out '/bus'
}

@test "two audits of a compiler run give the same bytes, whatever its temporary files were called" {
	need gcc
	echo 'int main(void) { return 0; }' >a.c
	"$SNUG" audit -q --format=json --report=1.json -- gcc -o a a.c
	rm a
	"$SNUG" audit -q --format=json --report=2.json -- gcc -o a a.c
	"$SNUG" report last >r.txt
	cmp 1.json 2.json
	refute grep '/tmp/cc' r.txt 1.json
}

@test "git clone of a local repository: what fell back to copying has the reason at its row" {
	need git
	git init -q "$HOME/r"
	git -C "$HOME/r" -c user.name=x -c user.email=x@example.org commit -q --allow-empty -m x
	run "$SNUG" audit -- git clone -q "$HOME/r" here
	assert_status 0
	refute_out 'mkdir -p would bear'
	rm -rf here
	paste_next
	assert_status 0
	git -C here log >/dev/null
	rm -rf here
	run "$SNUG" audit --check --profile "$(suggested)" -- git clone -q "$HOME/r" here
	assert_status 0
}
