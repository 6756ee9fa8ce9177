#!/usr/bin/env bats
# verify.bats - audit --verify: a suggestion is proven by running the command confined from the state before
bats_require_minimum_version 1.5.0
load lib

# verify CMD..: audit it with --verify; status and report in $status and $output, what it printed in $WORK/out
verify() {
	run "$SNUG" audit --verify -- "$@"
}
# the word and reason of the last run, from the JSON
proof() {
	"$SNUG" report --format=json last >/dev/null
	python3 -c '
import json, sys
v = json.load(open(sys.argv[1]))["verification"]
print(v["result"], v["runs"], v.get("reason", ""), "|", v.get("without", ""))' "$(last_run)/report.json"
}
no_copies_left() {
	[ ! -e "$(last_run)/verify" ] || fail "copies are left: $(ls "$(last_run)/verify")"
}

@test "what needs nothing further is verified in one run, and the project is not run over twice" {
	verify sh -c 'echo x >>out; mkdir d; ln -s out d/l; chmod 700 d; printf "\n" >>count'
	assert_status 0
	assert_out "snug: verified: confined, it ended the same, was denied nothing and left the same files"
	[ "$(wc -l <count)" = 1 ]
	run proof
	assert_line '^verified 1  \| $'
	no_copies_left
}

@test "a suggestion is verified when the command fails without it" {
	echo x >"$HOME/.conf"
	verify sh -c 'cat ~/.conf >copy'
	assert_status 0
	assert_out "snug: verified: "
	assert_out "without this, it ended with 1 instead of 0"
	grep -q '^# verified: ' "$(suggested)"
	run proof
	assert_line '^verified 2 '
	no_copies_left
}

@test "a command that swallows its errors and ends with 0 is verified by what it left: a private home swallows it" {
	verify sh -c 'echo data >~/.newfile 2>/dev/null; exit 0'
	assert_status 0
	assert_out "without this, ~/.newfile is not there at its end"
	grep -q '^# verified: ' "$(suggested)"
	[ "$(cat "$HOME/.newfile")" = data ]
}

@test "what only root of a credential store would grant is lost, and said" {
	need ssh-keygen
	verify ssh-keygen -q -t ed25519 -N '' -f "$HOME/.ssh/id_test"
	mkdir -p "$HOME/.ssh"
	verify ssh-keygen -q -t ed25519 -N '' -f "$HOME/.ssh/id_test"
	assert_status 0
	assert_out "snug: unverified: "
}

@test "standard input from a pipe, a file and from a position in a file is read again" {
	run bash -c 'printf "one\ntwo\n" | "$SNUG" audit --verify -- sh -c "cat >got"'
	assert_status 0
	assert_out "snug: verified: "
	assert_same "$(cat got)" "$(printf 'one\ntwo')"
	rm got
	printf 'one\ntwo\n' >"$WORK/in"
	run bash -c '"$SNUG" audit --verify -- sh -c "cat >got" <"$WORK/in"'
	assert_out "snug: verified: "
	rm got
	run bash -c '{ read -r x; "$SNUG" audit --verify -- sh -c "cat; cat >got"; } <"$WORK/in"'
	assert_out "snug: verified: "
	assert_same "$(cat "$(last_run)/verify.out")" two
}

@test "the confined run prints into the run's directory, not where the audit printed" {
	run bash -c '"$SNUG" audit --verify -- sh -c "echo said; echo warned >&2" 2>"$WORK/err"'
	assert_same "$output" said
	[ "$(grep -cx warned "$WORK/err")" = 1 ]
	assert_same "$(cat "$(last_run)/verify.out")" said
	assert_same "$(cat "$(last_run)/verify.err")" warned
}

@test "output that differs each time does not make it fail" {
	need python3
	verify python3 -c '
import os, random, tempfile, time
open("log", "a").write(str(time.time_ns()) * random.randint(1, 9))
open("run-%d.log" % os.getpid(), "w").write("x")
tempfile.mkstemp(dir=".")'
	assert_status 0
	assert_out "snug: verified: "
}

@test "a status of its own is kept, and a command that fails is verified when it fails the same way" {
	verify sh -c 'echo x >out; exit 7'
	assert_status 7
	assert_out "snug: verified: "
	echo x >"$HOME/.conf"
	verify sh -c 'cat ~/.conf && exit 5'
	assert_status 5
	assert_out "without this, it ended with 1 instead of 5"
}

@test "the confined run starts from the state before: what the audit made, changed and removed is as it was" {
	echo old >changed
	echo old >removed
	mkdir dir
	verify sh -c 'test ! -e made && grep -qx old changed && rm removed && echo new >changed && echo new >made && rmdir dir'
	assert_status 0
	assert_out "snug: verified: "
	[ -e made ] && [ ! -e removed ] && [ ! -e dir ] && [ "$(cat changed)" = new ]
}

@test "modes, links, holes and times of the project are kept in the copy" {
	echo x >a
	ln a b
	ln -s nowhere dangling
	mkfifo pipe
	truncate -s 1G sparse
	mkdir -m 555 closed
	touch -d @1000000000 a
	verify sh -c 'test a -ef b && test -p pipe && test -L dangling && test "$(stat -c "%s %b" sparse)" = "1073741824 0" &&
		test "$(stat -c %Y a)" = 1000000000 && test "$(stat -c %a closed)" = 555 && touch fine'
	assert_status 0
	assert_out "snug: verified: "
	no_copies_left
}

@test "over the limit it is unverified, the audit is made all the same, and the status stays" {
	head -c 2M /dev/zero | tr '\0' x >big
	run "$SNUG" audit --verify --verify-limit=1MiB -- sh -c 'exit 3'
	assert_status 3
	assert_line '^snug: unverified: .*big: the limit is reached \(--verify-limit\)'
	grep -q '"result":"unverified"' "$(last_run)/report.json"
	no_copies_left
}

@test "input over the limit reaches the command whole, and it is unverified" {
	run bash -c 'head -c 3M /dev/zero | "$SNUG" audit --verify --verify-limit=1MiB -- sh -c "wc -c >n"'
	assert_status 0
	assert_same "$(cat n)" 3145728
	assert_out "snug: unverified: standard input: the limit is reached"
}

@test "a bad size is a usage error" {
	for size in x 0 -1 1Gib 99999999999TiB; do
		run "$SNUG" audit --verify --verify-limit=$size -- true
		assert_status 2
	done
	run "$SNUG" audit --verify --network-only -- true
	assert_status 2
}

@test "a checkout's profile is only applied when it is trusted" {
	mkdir -p .snug/profiles .git
	printf 'name: own\nenv: { set: { A: "1" } }\n' >.snug/profiles/own.yaml
	run "$SNUG" audit --verify +own -- touch ran
	assert_status 125
	assert_out "snug trust"
	[ ! -e ran ]
	"$SNUG" trust >/dev/null
	run "$SNUG" audit --verify +own -- touch ran
	assert_status 0
	assert_out "snug: verified: "
}

@test "without --keep nothing is left anywhere" {
	export TMPDIR=$WORK/tmp
	mkdir "$TMPDIR"
	run "$SNUG" audit --no-keep --verify -- touch x
	assert_status 0
	assert_out "snug: verified: "
	[ -z "$(ls -A "$TMPDIR")" ]
	[ ! -e "$XDG_STATE_HOME/snug/runs" ]
}

@test "an interrupt while it runs confined ends that: nothing is left, the status is the audit's" {
	cat >wait.sh <<-'END'
	#!/bin/sh
	[ ! -e "$HOME/.second" ] || exit 0
	touch started
	if [ $$ -gt 50 ]; then exit 4; fi
	sleep 60
	END
	chmod +x wait.sh
	"$SNUG" audit --verify -- ./wait.sh >"$WORK/out" 2>&1 &
	local pid=$!
	for i in $(seq 100); do
		compgen -G "$XDG_STATE_HOME/snug/runs/2*/verify/w1/proj/started" >/dev/null && break
		sleep 0.1
	done
	compgen -G "$XDG_STATE_HOME/snug/runs/2*/verify/w1/proj/started" >/dev/null
	kill -INT $pid
	local rc=0
	wait $pid || rc=$?
	[ $rc = 4 ] || fail "status $rc: $(cat "$WORK/out")"
	grep -q 'snug: unverified: interrupted' "$WORK/out" || fail "$(cat "$WORK/out")"
	no_copies_left
}

@test "what the requested profiles make writable outside the project is copied too" {
	mkdir "$WORK/shared"
	echo 1 >"$WORK/shared/n"
	run "$SNUG" audit --verify --allow-write="$WORK/shared" -- sh -c 'n=$(cat "$1/n"); echo $((n + 1)) >"$1/n"; test $n = 1' - "$WORK/shared"
	assert_status 0
	assert_out "snug: verified: "
	[ "$(cat "$WORK/shared/n")" = 2 ]
}

@test "files outside that were there and are appended to, rewritten, replaced and removed are as before for the confined run" {
	mkdir -p "$HOME/.t/sub"
	for f in log state conf lock sub/deep; do echo old >"$HOME/.t/$f"; done
	verify sh -c 'cd ~/.t && for f in log state conf lock sub/deep; do test "$(cat $f)" = old || exit 9; done
		echo new >>log; echo new >state; echo new >conf.tmp; mv conf.tmp conf; rm lock; mv sub sub2; echo done'
	assert_status 0
	assert_out "snug: verified: "
	[ "$(cat "$HOME/.t/log")" = "old
new" ] && [ ! -e "$HOME/.t/lock" ] && [ -e "$HOME/.t/sub2/deep" ]
	no_copies_left
}

@test "a file outside that is too large to keep makes it unverified" {
	head -c 3M /dev/zero | tr '\0' x >"$HOME/.big"
	run "$SNUG" audit --verify --verify-limit=1MiB -- sh -c 'echo more >>~/.big'
	assert_status 0
	assert_line '^snug: unverified: .*/.big was changed, and its state before could not be kept'
}

@test "make and gcc are verified" {
	need gcc make
	printf 'int main(void) { return 0; }\n' >a.c
	printf 'all: a\na: a.o\n\tgcc -o $@ $<\na.o: a.c\n\tgcc -c -o $@ $<\n' >Makefile
	verify make
	assert_status 0
	assert_out "snug: verified: "
}

@test "git init, commit and clone are verified although every hash is another" {
	need git
	printf '[user]\n\tname = a\n\temail = a@example.org\n' >"$HOME/.gitconfig"
	run "$SNUG" audit --verify +git -- sh -ec 'git init -q r; cd r; date +%N >f; git add f; git commit -qm one; git clone -q . ../c'
	assert_status 0
	assert_out "snug: verified: "
}

@test "what only the confined run asks for is added to the suggestion, and tried again" {
	echo one >"$HOME/.one"
	echo two >"$HOME/.two"
	# in a namespace of its own its number is low
	cat >tool.sh <<-'END'
	#!/bin/sh
	cat "$HOME/.one" || exit 1
	[ $$ -gt 50 ] || cat "$HOME/.two"
	END
	chmod +x tool.sh
	verify ./tool.sh
	assert_status 0
	assert_out "snug: verified: "
	grep -q '/.two' "$(suggested)"
	run proof
	assert_line '^verified 3 '
}

@test "a read that a command does without is told from one that nobody made: without the suggestion it is denied" {
	echo x >"$HOME/.conf"
	verify sh -c 'cat ~/.conf 2>/dev/null; exit 0'
	assert_status 0
	assert_out "without this, ~/.conf is denied (read: ENOENT)"
}

@test "a host that is not granted is denied confined, and named" {
	need curl python3
	mkdir www
	(cd www && exec python3 -u -m http.server --bind 127.0.0.1 0) >"$WORK/server" 2>&1 &
	local server=$! port=
	for i in $(seq 50); do
		port=$(sed -n 's/.*port \([0-9]*\).*/\1/p' "$WORK/server")
		[ -z "$port" ] || break
		sleep 0.1
	done
	run "$SNUG" audit --verify --allow-net=example.org -- sh -c "curl -fsS -o /dev/null --noproxy '' http://localhost:$port/; exit 0"
	kill $server
	assert_status 0
	assert_out "snug: verified: "
	assert_out "without this, localhost:$port is denied (host: the proxy says 403)"
}

@test "--minimise leaves out what it does without: files, and variables by withholding them" {
	for i in 1 2 3 4; do echo "$i" >"$HOME/.c$i"; done
	export FLAVOUR=mint COLOUR=red
	cat >t.sh <<-'END'
	#!/bin/sh
	cat ~/.c1 >/dev/null 2>&1
	cat ~/.c2 >kept 2>/dev/null
	cat ~/.c3 2>/dev/null
	cat ~/.c4 >/dev/null || exit 3
	echo "$FLAVOUR" >flavour
	: "$COLOUR"
	date +%N >clock
	END
	chmod +x t.sh
	run "$SNUG" audit --minimise -- ./t.sh
	assert_status 0
	assert_out "snug: verified: "
	assert_out "snug: minimised: 4 of 6 suggested lines left: without any one of them it goes otherwise"
	assert_line 'it does without \(--minimise\)'
	for line in .c2 .c3 .c4 FLAVOUR; do grep -q -- "$line" "$(suggested)" || fail "no $line"; done
	for line in .c1 COLOUR; do ! grep -q -- "$line" "$(suggested)" || fail "still $line"; done
	run "$SNUG" --profile "$(suggested)" -- ./t.sh
	assert_status 0
	assert_out 3
}

@test "--minimise says how far it got where 20 runs are not enough" {
	for i in $(seq 30); do echo "$i" >"$HOME/.c$i"; done
	# every other one is needed: halving finds nothing to leave out for long
	run "$SNUG" audit --minimise -- sh -c 'for i in $(seq 30); do cat ~/.c$i >/dev/null 2>&1 || [ $((i % 2)) = 0 ] || exit 1; done'
	assert_status 0
	assert_line 'minimised: [0-9]+ of [0-9]+ suggested lines left: after 20 runs some were not tried'
	[ "$(python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["verification"]["runs"])' "$(last_run)/report.json")" -le 22 ]
}

@test "--minimise of what needs none of it suggests nothing" {
	echo x >"$HOME/.conf"
	run "$SNUG" audit --minimise -- sh -c 'cat ~/.conf >/dev/null 2>&1; exit 0'
	assert_status 0
	assert_out "minimised: 0 of 1 suggested lines left: it does without all of them"
	! grep -q conf "$(suggested)" 2>/dev/null
}

@test "extended attributes are kept in the copy, and so are owners where we may set them" {
	need setfattr getfattr
	echo x >f
	setfattr -n user.colour -v red f 2>/dev/null || skip "no user attributes on this file system"
	if is_root; then chown 12345:23456 f; fi
	verify sh -c 'test "$(getfattr --only-values -n user.colour f)" = red && stat -c %u:%g f >owner'
	assert_status 0
	assert_out "snug: verified: "
	# printed by both runs: a copy with another owner would be another file
	run "$SNUG" audit --minimise -- sh -c 'stat -c %u:%g f'
	assert_out "snug: verified: "
}

@test "a disk that is full while the state is copied makes it unverified, and leaves nothing" {
	is_root || skip "needs root to mount a small file system"
	unshare -m true 2>/dev/null || skip "no mount namespace"
	head -c 3M /dev/zero | tr '\0' x >big
	run unshare -m sh -c 'mount -t tmpfs -o size=1m tmpfs "$XDG_STATE_HOME" && "$0" audit --verify -- sh -c "exit 5"; echo "status $?"
		ls "$XDG_STATE_HOME"/snug/runs/last/; df --output=used "$XDG_STATE_HOME" | tail -1' "$SNUG"
	assert_out "status 5"
	assert_line 'snug: unverified: the state before could not be kept: .*No space left'
	refute_line '^verify$'
}

@test "an interrupt while the state is copied ends snug with 130: nothing ran, nothing is left" {
	mkdir many
	(cd many && seq 20000 | xargs touch)
	"$SNUG" audit --verify -- touch ran >"$WORK/out" 2>&1 &
	local pid=$! rc=0
	for i in $(seq 200); do
		compgen -G "$XDG_STATE_HOME/snug/runs/2*/verify" >/dev/null && break
		sleep 0.01
	done
	kill -INT $pid
	wait $pid || rc=$?
	[ $rc = 130 ] || { [ -e ran ] && skip "it was copied before it could be interrupted"; fail "status $rc: $(cat "$WORK/out")"; }
	[ ! -e ran ]
	[ -z "$(ls -A "$XDG_STATE_HOME/snug/runs")" ] || fail "left: $(find "$XDG_STATE_HOME" | head)"
}

@test "copies that a killed snug left go with their run" {
	verify true
	mkdir -p "$(last_run)/verify/k1/p/sub"
	chmod 500 "$(last_run)/verify/k1/p"
	local id
	id=$(basename "$(last_run)")
	"$SNUG" runs rm "$id"
	[ ! -e "$XDG_STATE_HOME/snug/runs/$id" ]
}

@test "what is denied in a place that the audit does not count does not spoil it: a set-up with python and node" {
	need python3 node
	printf 'console.log(1)\n' >a.js
	run "$SNUG" audit --verify +node +python -- sh -c 'python3 -c "import json, ssl; print(2)"; node a.js'
	assert_status 0
	assert_out "snug: verified: "
}

@test "--check keeps its own exit codes beside --verify" {
	echo x >"$HOME/.conf"
	run "$SNUG" audit --check --verify -- sh -c 'cat ~/.conf >/dev/null'
	assert_status 3
	assert_out "snug: verified: "
	assert_same "${lines[-1]}" "snug: check: 1 finding (exit 3)"
}
