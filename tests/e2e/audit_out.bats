#!/usr/bin/env bats
# audit_out.bats - what an audit leaves: outputs, runs, checks, reports, and all that can go wrong with them
bats_require_minimum_version 1.5.0
load lib

# json_has FILE EXPRESSION: true of the document r
json_has() {
	python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); sys.exit(not eval(sys.argv[2]))' "$1" "$2" || {
		cat "$1"
		return 1
	}
}

# something that lies outside every profile
outside() {
	mkdir -p "$HOME/.config/tool"
	echo 1 >"$HOME/.config/tool/conf"
}

@test "the suggestion lies in the run's directory, private, with the recording and the report" {
	outside
	run "$SNUG" audit -- cat "$HOME/.config/tool/conf"
	assert_status 0
	assert_out "missing: would be ENOENT"
	dir=$(last_run)
	[[ $(basename "$dir") =~ ^[0-9]{8}-[0-9]{6}-cat-[0-9a-f]{4}$ ]]
	[ "$(stat -c %a "$dir")" = 700 ]
	for f in recording.ndjson suggested.yaml report.json; do
		[ "$(stat -c %a "$dir/$f")" = 600 ]
	done
	"$SNUG" profile validate "$dir/suggested.yaml"
	grep -q 'tool/conf' "$dir/suggested.yaml"
	refute grep -qF "$HOME" "$dir/suggested.yaml"
}

@test "a clean command leaves no suggestion and takes at most 6 lines" {
	echo x >file
	run "$SNUG" audit -- cat file
	assert_status 0
	assert_out clean
	[ "${#lines[@]}" -le 7 ] # the command wrote one
	[ ! -e "$(suggested)" ]
}

@test "B13 an existing output needs --force, said before the command starts" {
	for option in --audit-out --report --record; do
		echo mine >"out"
		run "$SNUG" audit $option=out -- touch ran
		assert_status 125
		assert_out "--force"
		[ ! -e ran ]
		assert_same mine "$(cat out)"
		run "$SNUG" audit $option=out --force -- touch ran
		assert_status 0
		[ "$(cat out)" != mine ]
		rm -f ran out
	done
}

@test "P18 an output that cannot be written is told before the command starts" {
	run "$SNUG" audit --audit-out=no/such/dir/s.yaml -- touch ran
	assert_status 125
	assert_out "no/such/dir"
	[ ! -e ran ]
	mkdir dir
	run "$SNUG" audit --audit-out=dir -- touch ran
	assert_status 125
	[ ! -e ran ]
	if ! is_root; then
		mkdir ro && chmod 555 ro
		run "$SNUG" audit --report=ro/x -- touch ran
		assert_status 125
		[ ! -e ran ]
	fi
}

@test "P18 an output that is a link to nothing, or has too long a name, is told before the command starts" {
	ln -s "$HOME/nothing" link
	for name in link "$(printf 'n%.0s' $(seq 250))"; do
		for option in --audit-out --report --record; do
			run "$SNUG" audit $option="$name" -- touch ran
			assert_status 125
			assert_out "$option="
			[ ! -e ran ]
		done
	done
	echo old >target
	ln -sf "$PWD/target" link # one that leads somewhere is written through
	run "$SNUG" audit --force -o link -- sh -c 'exit 5'
	assert_status 5
	[ -L link ] && [ "$(cat target)" != old ]
}

@test "a suggestion that went to a device is not named as a file" {
	echo hi >"$HOME/f1"
	run "$SNUG" audit -o /dev/null -- cat "$HOME/f1"
	assert_status 0
	refute_line '^snug: next:'
	assert_line '^snug: no next command: the suggestion went to /dev/null'
}

@test "P18 a full disk at an output: the command's own status, its work kept, and the failure told" {
	for option in --audit-out --report --record; do
		rm -f work
		run "$SNUG" audit $option=/dev/full -- sh -c 'echo done >work; exit 5'
		assert_status 5
		assert_out "/dev/full"
		assert_same "done" "$(cat work)"
		run "$SNUG" audit $option=/dev/full -- true
		assert_status 125
	done
}

@test "--audit-out is written also when it grants nothing, and says so" {
	run "$SNUG" audit --audit-out=s.yaml -- true
	assert_status 0
	assert_out "grants nothing"
	"$SNUG" profile validate s.yaml
}

@test "a state directory that cannot be made costs a warning, not the audit" {
	echo file >"$WORK/file"
	run env XDG_STATE_HOME="$WORK/file" "$SNUG" audit -- sh -c 'exit 3'
	assert_status 3
	[ "$(grep -c 'not kept' <<<"$output")" = 1 ]
	assert_out 'snug: under'
}

@test "--no-keep stores nothing" {
	run "$SNUG" audit --no-keep -- true
	assert_status 0
	[ ! -e "$XDG_STATE_HOME/snug" ]
}

@test "the newest 20 runs are kept, and last is the newest" {
	for i in $(seq 23); do
		"$SNUG" audit -q -- true
	done
	[ "$(find "$XDG_STATE_HOME/snug/runs" -mindepth 1 -maxdepth 1 -type d | wc -l)" = 20 ]
	[ -f "$(last_run)/recording.ndjson" ]
	[ "$("$SNUG" runs list | wc -l)" = 20 ]
	assert_same "$(last_run)" "$("$SNUG" runs path)"
}

@test "runs: list, path, rm" {
	"$SNUG" audit -q -- true
	id=$(basename "$(last_run)")
	run "$SNUG" runs list
	assert_line "^$id  clean +true$"
	assert_same "$(last_run)" "$("$SNUG" runs path "$id")"
	"$SNUG" runs rm "$id"
	run "$SNUG" runs list
	assert_same "" "$output"
	run "$SNUG" runs path "$id"
	assert_status 125
	run "$SNUG" report last
	assert_status 125
	assert_out "no stored run"
}

@test "B06 two audits of the same command give identical bytes" {
	outside
	for n in 1 2; do
		mkdir d$n
		"$SNUG" audit --audit-out=d$n/s.yaml --report=d$n/r.txt -- sh -c "cat $HOME/.config/tool/conf; ls /etc >/dev/null"
		cp "$(last_run)/report.json" d$n/
	done
	cmp d1/s.yaml d2/s.yaml
	diff <(sed 's/d1/X/g' d1/report.json) <(sed 's/d2/X/g' d2/report.json)
	diff <(sed 's/d1/X/g' d1/r.txt) <(sed 's/d2/X/g' d2/r.txt)
}

@test "names that change from run to run do not make two reports differ" {
	mkdir -p "$HOME/.tool/logs"
	echo old >"$HOME/.tool/logs/first.log"
	for n in 1 2; do
		"$SNUG" audit -q -- sh -c 'echo x >"$HOME/.tool/logs/2026-01-02T03_04_05_$(date +%N)Z-debug-$$.log"
			f=$(mktemp "$HOME/.tool/tmp.XXXXXXXX") && rm "$f"'
		cp "$(last_run)/report.json" j$n.json
	done
	cmp j1.json j2.json
}

@test "B12 --check: clean 0, findings 3, the command's failure first; the last line says which" {
	outside
	run "$SNUG" audit --check -- true
	assert_status 0
	assert_same "snug: check: clean" "${lines[-1]}"
	run "$SNUG" audit --check -- cat "$HOME/.config/tool/conf"
	assert_status 3
	assert_same "snug: check: 1 finding (exit 3)" "${lines[-1]}"
	run "$SNUG" audit --check -- sh -c "cat $HOME/.config/tool/conf; exit 5"
	assert_status 5
	json_has "$(last_run)/report.json" 'r["outcome"] == "command-failed" and r["counts"]["findings"] == 1'
	run "$SNUG" audit -- cat "$HOME/.config/tool/conf"
	assert_status 0
}

@test "--check counts no probes; a file that is lost only under =all" {
	run "$SNUG" audit --check -- sh -c 'cat /no/such/file; [ -e "$HOME/.nope" ]; true'
	assert_status 0
	run "$SNUG" audit --check -- sh -c 'echo x >"$HOME/.toolrc"'
	assert_status 0
	assert_out "written, then lost"
	rm "$HOME/.toolrc"
	run "$SNUG" audit --check=all -- sh -c 'echo x >"$HOME/.toolrc"'
	assert_status 3
}

@test "twenty checks of an unchanged make give twenty times 0" {
	need make cc
	echo 'int main(void) { return 0; }' >a.c
	printf 'a: a.c\n\tcc -o a a.c\n' >Makefile
	for i in $(seq 20); do
		rm -f a
		run "$SNUG" audit +make --check -- make
		[ "$status" = 0 ] || { echo "$i"; assert_status 0; }
	done
}

@test "twenty checks of an unchanged pytest give twenty times 0" {
	skip_unless "no pytest of the system's python3 here" /usr/bin/python3 -m pytest --version
	cat >test_it.py <<-'E'
	import tempfile
	def test_own(tmp_path):
	    (tmp_path / "f").write_text("x")
	    assert (tmp_path / "f").read_text() == "x"
	def test_temp():
	    with tempfile.TemporaryDirectory() as d:
	        assert d
	E
	# it keeps three directories of earlier runs in /tmp, and tidies up
	local own=/tmp/pytest-of-$(id -un)
	[ ! -e "$own" ] || skip "somebody uses $own"
	for i in $(seq 20); do
		run "$SNUG" audit +python --check -- /usr/bin/python3 -m pytest -q
		[ "$status" = 0 ] || { rm -rf "$own"; echo "$i"; assert_status 0; }
	done
	rm -rf "$own"
}

@test "B14 secrets in arguments are neither recorded nor suggested" {
	run "$SNUG" audit --audit-out=s.yaml --record=rec --report=r.txt --env API_TOKEN=hunter2secret -- \
		sh -c 'cat /etc/hostname' sh --token=hunter2secret API_KEY=hunter3secret https://u:hunter4secret@example.org/?k=hunter5secret
	assert_status 0
	refute grep -E 'hunter[2345]secret' s.yaml rec r.txt "$(last_run)"/*
}

@test "B19 names cannot steer the terminal or inject lines" {
	evil=$'\e]0;owned\a\e[2Jx\n::error::pwned'
	mkdir -p "$HOME/.evil"
	echo x >"$HOME/.evil/$evil"
	run "$SNUG" audit -- cat "$HOME/.evil/$evil"
	assert_status 0
	assert_out "x"
	refute_line $'[\e\a]'
	refute_line '^::error'
	run "$SNUG" report last
	refute_line $'[\e\a]'
	refute_line '^::error'
	run "$SNUG" why "$HOME/.evil/$evil"
	refute_line $'[\e\a]'
	refute_line '^::error'
	run "$SNUG" runs list
	refute_line $'[\e\a]'
	run "$SNUG" audit -- "$evil"
	assert_status 127
	refute_line $'[\e\a]'
}

@test "B10 strange names survive: blanks, colon, quotes, newline, UTF-8, bytes that are no text" {
	k=0
	for name in 'with blank' 'a:b' "q'\"q" $'new\nline' 'ü-ñ-漢' $'bad\xffbyte' '$(touch ran)' '-dash' '~' '{project}' '*'; do
		k=$((k + 1))
		mkdir -p "$HOME/.d$k"
		echo ok >"$HOME/.d$k/$name"
		run "$SNUG" audit --check --audit-out=s$k.yaml -- cat "$HOME/.d$k/$name"
		assert_status 3
		"$SNUG" profile validate s$k.yaml || { cat s$k.yaml; return 1; }
		run --separate-stderr "$SNUG" --profile ./s$k.yaml -- cat "$HOME/.d$k/$name"
		[ "$output" = ok ] || { echo "$k $name: $output $stderr"; cat s$k.yaml; return 1; }
	done
	[ ! -e ran ]
}

@test "report and why answer from the store, under the profiles of the audit" {
	outside
	printf 'binds:\n  - { source: "~/.config/tool", mode: ro }\n' >p.yaml
	"$SNUG" audit -q --profile ./p.yaml -- cat "$HOME/.config/tool/conf"
	run "$SNUG" report last
	assert_status 0
	assert_out clean
	run "$SNUG" why "$HOME/.config/tool/conf"
	assert_status 0
	assert_out "granted"
	assert_out "p.yaml:2"
	assert_out "cat"
	cd / # a request is no matter of the place where report is typed
	run "$SNUG" report last
	assert_out clean
	run "$SNUG" report +base last
	assert_out ".config/tool/conf"
	run "$SNUG" why /no/such/thing
	assert_status 1
}

@test "trace, learn: the same suggestion as audit; several runs merge" {
	outside
	echo 2 >"$HOME/.config/tool/other"
	"$SNUG" trace -o one -- cat "$HOME/.config/tool/conf"
	"$SNUG" trace -o two -- cat "$HOME/.config/tool/conf" "$HOME/.config/tool/other"
	[ "$(stat -c %a one)" = 600 ]
	"$SNUG" learn one -o l.yaml
	"$SNUG" audit -q --audit-out=l2.yaml -- cat "$HOME/.config/tool/conf"
	diff <(grep -v '^name' l.yaml) <(grep -v '^name' l2.yaml)
	"$SNUG" learn one two -o a.yaml
	"$SNUG" learn two one -o b.yaml
	diff <(grep -v '^name' a.yaml) <(grep -v '^name' b.yaml)
	"$SNUG" profile validate a.yaml
	run "$SNUG" report one two
	assert_out "in 1 of 2 runs"
	run "$SNUG" learn no-such-file
	assert_status 125
}

@test "a broken recording is told with file and line" {
	echo '{"no": "recording"}' >rec
	run "$SNUG" report ./rec
	assert_status 125
	assert_line 'rec:1:'
}

@test "bad places: the working directory is gone, HOME is unset" {
	mkdir gone
	cd gone
	rmdir ../gone
	run "$SNUG" audit -- true
	[ "$status" = 0 ] || { assert_status 125; assert_out "directory"; }
	cd "$PROJ"
	run env -u HOME "$SNUG" audit -- sh -c 'exit 3'
	assert_status 3
}

@test "an audit inside an audit says what is in the way" {
	run "$SNUG" audit --no-keep -q -- "$SNUG" audit -- touch ran
	assert_status 125
	assert_out "audit"
	[ ! -e ran ]
}

@test "--show-granted has hits and unused grants" {
	printf 'binds:\n  - { source: /srv, mode: ro }\nenv:\n  allow: [SNUG_NEVER_USED]\n' >p.yaml
	run "$SNUG" audit --profile ./p.yaml --show-granted -- ls /usr
	assert_status 0
	assert_out "already granted by"
	assert_line '[0-9]+ times?$'
	assert_out "granted, but not used"
	assert_line 'p\.yaml:2.*/srv'
	assert_line 'p\.yaml:4.*SNUG_NEVER_USED'
}

@test "the JSON report is what its schema says" {
	outside
	"$SNUG" audit --json --report=r.json -- cat "$HOME/.config/tool/conf" /no/such 2>/dev/null || :
	json_has r.json 'r["schema"] == "snug-report/v1" and r["findings"]'
	skip_unless "no python3-jsonschema" /usr/bin/python3 -c 'import jsonschema'
	/usr/bin/python3 -c '
import json, jsonschema, sys
jsonschema.Draft202012Validator(json.load(open(sys.argv[1]))).validate(json.load(open(sys.argv[2])))' \
		"$SRC/docs/formats/report.schema.json" r.json
}

@test "the printed next command works when pasted" {
	outside
	for words in "cat $HOME/.config/tool/conf" "sh -c 'cat \"\$HOME/.config/tool/conf\" && echo it\\'\\''s'"; do
		run "$SNUG" audit -- sh -c "cat $HOME/.config/tool/conf && echo 'it'\\''s'"
		assert_status 0
		next=$(sed -n 's/^snug: next: //p' <<<"$output")
		[ -n "$next" ]
		mkdir -p bin && ln -sf "$SNUG" bin/snug
		run env PATH="$PWD/bin:$PATH" bash -c "$next"
		assert_status 0
		assert_out "it's"
	done
}

@test "colours and width are the terminal's; NO_COLOR and TERM=dumb are heeded" {
	outside
	cat >onpty.py <<-'END'
		import fcntl, os, pty, struct, sys, termios
		master, slave = pty.openpty()
		fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(sys.argv[1]), 0, 0))
		pid = os.fork()
		if pid == 0:
		    os.dup2(slave, 2)
		    os.close(master)
		    os.execvp(sys.argv[2], sys.argv[2:])
		os.close(slave)
		out = b""
		while True:
		    try: got = os.read(master, 65536)
		    except OSError: break
		    if not got: break
		    out += got
		os.waitpid(pid, 0)
		sys.stdout.buffer.write(out.replace(b"\r", b""))
	END
	conf=$HOME/.config/tool/conf
	run env TERM=xterm python3 onpty.py 200 "$SNUG" audit -- cat "$conf"
	assert_out $'\e[1mneeds\e[0m'
	assert_line 'missing.*grant:'
	run env TERM=xterm python3 onpty.py 50 "$SNUG" audit -- cat "$conf"
	refute_line 'missing.*grant:'
	run env TERM=xterm NO_COLOR=1 python3 onpty.py 200 "$SNUG" audit -- cat "$conf"
	refute_out $'\e[1m'
	run env TERM=dumb python3 onpty.py 200 "$SNUG" audit -- cat "$conf"
	refute_out $'\e[1m'
	run env TERM=xterm "$SNUG" audit -- cat "$conf"
	refute_out $'\e'
}

@test "arguments that look secret are shown to the terminal where they were typed, and nowhere else" {
	run "$SNUG" audit -- true --token=hunter6secret
	refute_out hunter6secret
	assert_line '^snug: next: snug -- true .*token'
}

@test "the next command lifts a profile's refusal of the network, and names it" {
	need python3
	printf 'network: { mode: none }\n' >offline.yaml
	run "$SNUG" audit --profile ./offline.yaml -- python3 -c '
import socket
s = socket.socket()
s.settimeout(0.2)
try: s.connect(("192.0.2.7", 9))
except OSError: pass'
	assert_status 0
	assert_line '^snug: .*offline\.yaml:1.* says no network'
	assert_line '^snug: next: .*--network proxy'
}

@test "the suggestion may go to standard output" {
	outside
	"$SNUG" audit -q --audit-out=- -- true --x >s.yaml
	"$SNUG" profile validate ./s.yaml
}

@test "a next command that run would refuse is not printed: a sentence says what to do" {
	cd "$HOME"
	echo hi >f1
	run "$SNUG" audit -- cat f1
	assert_status 0
	assert_line '^snug: no next command: run refuses: .*--project DIR'
	refute_line '^snug: next:'
	run "$SNUG" report last
	assert_line '^snug: no next command: run refuses'
	json_has "$(last_run)/report.json" '"next" not in r'
}

@test "what run refuses at its start is said by the audit, in its words" {
	printf 'binds: [{ source: "/no/such/tree", mode: ro }]\n' >b.yaml
	printf 'mask: ["{project}/none"]\ntmpfs: [/etc/none/deep]\nbinds: [{ source: /etc, mode: ro }]\n' >m.yaml
	for option in --deny-write="$PWD/q2" --profile=./b.yaml --profile=./m.yaml; do
		run "$SNUG" "$option" -- true
		assert_status 125
		why=$(sed -n '$s/^snug: //p' <<<"$output")
		run "$SNUG" audit --check "$option" -- sh -c 'mkdir q2 && rmdir q2'
		assert_status 0
		refute_line '^snug: next:'
		assert_out "snug: no next command: run refuses: $why"
	done
	mkdir q2
	run "$SNUG" audit --deny-write="$PWD/q2" -- true
	assert_line '^snug: next: '
}

@test "a suggestion that is not kept is said, with the way to keep it" {
	echo hi >"$HOME/f1"
	run "$SNUG" audit --no-keep -- cat "$HOME/f1"
	assert_status 0
	assert_line '^snug: no next command: the suggestion was not kept; .*--audit-out='
	refute_line '^snug: next:'
	run env XDG_STATE_HOME=/dev/full "$SNUG" audit -- cat "$HOME/f1"
	assert_line '^snug: no next command: the suggestion was not kept'
	run "$SNUG" audit --no-keep -- true # nothing to keep
	assert_line '^snug: next: snug -- true$'
}

@test "the printed next command keeps its suggestion when another audit follows" {
	echo hi >"$HOME/f1"
	run "$SNUG" audit -- cat "$HOME/f1"
	next=$(sed -n 's/^snug: next: snug //p' <<<"$output")
	run "$SNUG" report last
	assert_out "snug: next: snug $next"
	"$SNUG" audit -q -- true
	run bash -c "\"\$SNUG\" $next"
	assert_status 0
	assert_out hi
}

@test "clean says nothing about what was not looked at" {
	echo hi >"$HOME/f1"
	run "$SNUG" audit --network-only -- cat "$HOME/f1"
	assert_status 0
	refute_out "all that it needed"
	assert_line '^snug: under base: clean, no host outside; files were not looked at'
	assert_line '^snug: no next command: files were not looked at'
	run "$SNUG" report last
	assert_line '^snug: under base: clean, no host outside; files were not looked at'
	run "$SNUG" audit --network-trace=off -- true
	assert_line '^snug: under base: clean, .*hosts were not looked at'
	run "$SNUG" report last
	assert_line '^snug: under base: clean, .*hosts were not looked at'
	run "$SNUG" audit -- true
	assert_out "all that it needed"
}

@test "--check=all lists what it counts" {
	run "$SNUG" audit --check=all -- sh -c 'cat "$HOME/none" 2>/dev/null; true'
	assert_status 3
	assert_line '^tried, not there$|^failed anyway$'
	assert_out '~/none'
	run "$SNUG" audit --check -- sh -c 'cat "$HOME/none" 2>/dev/null; true'
	assert_status 0
	refute_out '~/none'
}

@test "what no line of a profile grants is not called nothing missing" {
	[ -r /sys/class/net/lo/address ] || skip "no /sys here"
	printf 'special: { sys: false }\n' >no.yaml
	run "$SNUG" audit -o s.yaml --profile ./no.yaml -- cat /sys/class/net/lo/address
	assert_out "no line is known that would"
	assert_line '^snug: nothing is suggested for what is listed'
	refute_out "nothing is missing"
}

@test "a suggestion on standard output is not named as a file" {
	echo hi >"$HOME/f1"
	run "$SNUG" audit -o - -- cat "$HOME/f1"
	assert_status 0
	refute_out "./-"
	refute_line '^snug: next:'
	assert_line '^snug: no next command: the suggestion went to standard output'
}
