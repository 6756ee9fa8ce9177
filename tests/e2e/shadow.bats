#!/usr/bin/env bats
# shadow.bats - audit --shadow: the host stays as it is, and what would have been written is told, kept, applied
# shellcheck disable=SC2016,SC2088 # what runs in the shadow expands there; ~ stands in reports
load lib
load ../flagship/net
bats_require_minimum_version 1.5.0

setup() {
	snug_setup
	mkdir "$HOME/.ssh"
	echo key >"$HOME/.ssh/id_rsa"
	echo a >a
	mkdir -p old/sub gone/x
	echo b >old/sub/b
	touch gone/x/y
	skip_unless "no overlay here" sh -c '"$SNUG" check --json | grep -q "\"overlay\":{\"works\":true"'
}
teardown() { net_stop; }

# every name below DIR with type, mode, size of files, names, link text and content
state() {
	(cd "$1" && find . -printf '%p %y %m %n %l\n' | LC_ALL=C sort && find . -type f -exec md5sum {} + | LC_ALL=C sort)
}

# ask ANSWER COMMAND..: on a terminal of its own; once a question stands there $SWAP is run, and ANSWER typed
ask() {
	cat >"$WORK/ask.py" <<-'END'
		import os, pty, sys
		pid, fd = pty.fork()
		if pid == 0:
		    os.execvp(sys.argv[2], sys.argv[2:])
		seen, asked = b"", False
		while True:
		    try:
		        some = os.read(fd, 4096)
		    except OSError:
		        break
		    if not some:
		        break
		    seen += some
		    sys.stdout.buffer.write(some)
		    if b"[y/N]" in seen and not asked:
		        asked = True
		        os.system(os.environ.get("SWAP", ""))
		        os.write(fd, sys.argv[1].encode() + b"\n")
		sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
	END
	timeout 60 python3 "$WORK/ask.py" "$@"
}

everything='echo hi >new; ln new new2; ln -s new lnk; mkdir -p d/e; echo q >d/e/f; chmod 600 d/e/f; rm a; mv old old2
	mkfifo d/p; mkdir -m 500 d/x; rm -r gone; mkdir gone; echo z >gone/z; chmod 750 gone'

@test "the host is byte-identical afterwards, and the listing has new, changed, removed and replaced with sizes" {
	before=$(state "$WORK")
	run "$SNUG" audit --shadow --no-keep -- sh -c "$everything; echo x >~/rc; exit 3"
	assert_status 3
	assert_same "$before" "$(state "$WORK")"
	assert_line '^snug: audit: in a shadow: .*the network is open$'
	assert_line '^snug: shadow: would have been written \(11 B\)$'
	assert_line '^  new +~/rc +2 B$'
	assert_line '^  removed +\{project\}/a +2 B$'
	assert_line '^  new +\{project\}/d/ +2 files, 2 B$'
	assert_line '^  replaced +\{project\}/gone/ +1 file, 2 B$'
	assert_line '^  new +\{project\}/new2 +another name of a file$'
	assert_line '^snug: shadow: thrown away$'
}

@test "a credential store is absent, a read of it is said first, and one the command makes is its own" {
	run "$SNUG" audit --shadow -- sh -c 'cat ~/.ssh/id_rsa; ls -d ~/.ssh; mkdir ~/.ssh && ls -A ~/.ssh | wc -l'
	assert_status 0
	assert_out 'No such file or directory'
	refute_line '^key$'
	assert_line '^0$'
	# before the report
	[[ ${output%%under base*} == *'asked for credentials'*'~/.ssh/id_rsa'*'by cat id_rsa'* ]] || fail "$output"
	[ "$(cat "$HOME/.ssh/id_rsa")" = key ]
	run "$SNUG" audit --shadow -- sh -c 'test -e ~/.gnupg; true'
	refute_out 'asked for credentials'
}

@test "what one overlay cannot do as the host would makes the recording incomplete, and is no finding" {
	ln a b
	run "$SNUG" audit --shadow --check -- sh -c 'mv old old2; echo more >>a'
	assert_status 4
	assert_line 'incomplete: \{project\}/old: .*cannot rename a directory.*EXDEV'
	assert_line 'incomplete: \{project\}/a: has other names \(hard links\)'
	refute_line '^needs'
	run "$SNUG" audit --shadow --check -- sh -c 'echo x >new && cat new a && rm new'
	assert_status 0
	assert_line 'check: clean'
	assert_line 'nothing would have been written'
}

@test "a socket of the host is out of reach, and that is said" {
	need python3
	python3 -c 'import socket,time; s=socket.socket(socket.AF_UNIX); s.bind("s"); s.listen(); time.sleep(30)' 3>&- &
	local server=$! tries
	for ((tries = 0; tries < 50; tries++)); do [ ! -S s ] || break; sleep 0.1; done
	run "$SNUG" audit --shadow -- python3 -c 'import socket; s=socket.socket(socket.AF_UNIX); s.connect("s")'
	kill $server
	assert_status 1
	assert_out ConnectionRefused
	assert_line 'incomplete: \{project\}/s: a socket of the host'
}

@test "the environment is that of a confined run, but for PATH" {
	run env SECRET_TOKEN=x PATH="$WORK/bin:$PATH" "$SNUG" audit --shadow -q -- sh -c 'echo "${SECRET_TOKEN-unset}"; echo "${PATH%%:*}"'
	assert_same "unset
$WORK/bin" "$output"
}

@test "--keep-shadow keeps a plain tree and the names that were removed" {
	run "$SNUG" audit --keep-shadow="$WORK/kept" -q -- sh -c "$everything; mkdir ~/.ssh; echo mine >~/.ssh/k"
	assert_status 0
	assert_same "$(printf '%s\n' "$PROJ/a" "$PROJ/gone" "$PROJ/old")" "$(cat "$WORK/kept/removed")"
	cd "$WORK/kept/tree$PROJ"
	assert_same hi "$(cat new2)"
	[ new -ef new2 ]
	assert_same new "$(readlink lnk)"
	assert_same z "$(cat gone/z)"
	assert_same b "$(cat old2/sub/b)"
	# none of the overlay's own marks, and nothing of a credential store
	assert_same "" "$(find "$WORK/kept" -type c)"
	refute grep -rqs mine "$WORK/kept/tree"
	python3 - "$WORK/kept" <<-'END'
		import os, sys
		for d, _, files in os.walk(sys.argv[1]):
		    for p in [d] + [os.path.join(d, f) for f in files]:
		        assert not any("overlay" in x for x in os.listxattr(p, follow_symlinks=False)), p
	END
	run "$SNUG" audit --keep-shadow="$WORK/kept" -- touch ran
	assert_status 125
	assert_out 'exists'
	run -127 "$SNUG" audit --keep-shadow="$WORK/kept2" -- /nonexistent
	assert_out 'not found'
	[ ! -e "$WORK/kept2" ]
}

@test "--apply asks on a terminal: no leaves everything, yes gives the tree of the bare command" {
	need python3
	before=$(state "$PROJ")
	cp -a "$PROJ" "$WORK/bare"
	run ask n "$SNUG" audit --apply -- sh -c "$everything"
	assert_status 0
	assert_out 'thrown away'
	assert_same "$before" "$(state "$PROJ")"
	run ask y "$SNUG" audit --apply -- sh -c "$everything; rm -rf ~/.ssh; mkdir ~/.ssh; echo evil >~/.ssh/authorized_keys"
	assert_status 0
	assert_out 'applied'
	(cd "$WORK/bare" && sh -c "$everything")
	assert_same "$(state "$WORK/bare")" "$(state "$PROJ")"
	# of a credential store nothing is done, and that is said
	assert_out '.ssh: a credential store, or masked'
	assert_same key "$(cat "$HOME"/.ssh/*)"
}

@test "--apply without a terminal is refused before anything runs" {
	run "$SNUG" audit --apply -- touch ran
	assert_status 125
	assert_out 'no terminal'
	[ ! -e ran ]
}

@test "--apply never writes through a link that was put in the way" {
	need python3
	mkdir "$WORK/outside" deep
	echo orig >"$WORK/outside/f"
	echo x >deep/f
	# the host changes while the question stands there: a directory that will be written to becomes a link
	export SWAP="mv '$PROJ/deep' '$PROJ/deep2' && ln -s '$WORK/outside' '$PROJ/deep'"
	run ask y "$SNUG" audit --apply -- sh -c 'echo evil >deep/f; echo evil >deep/g'
	unset SWAP
	assert_status 125
	assert_out 'stopped after'
	assert_same orig "$(cat "$WORK/outside/f")"
	[ ! -e "$WORK/outside/g" ]
	# and links that the command makes are links, not ways
	rm "$PROJ/deep"
	mkdir -p "$PROJ/d/f"
	run ask y "$SNUG" audit --apply -- sh -c "rm -r d; ln -s '$WORK/outside' d"
	assert_status 0
	assert_same "$WORK/outside" "$(readlink "$PROJ/d")"
	assert_same f "$(ls "$WORK/outside")"
}

@test "a full disk ends --apply with the step, half a file is never left, and the layers stay" {
	is_root || skip "mounts a small file system, which needs root"
	need python3 unshare
	cat >"$WORK/full" <<-END
		mount -t tmpfs -o size=256k none '$PROJ' && cd '$PROJ' && echo old >big
		exec python3 '$WORK/ask.py' y '$SNUG' audit --apply -- sh -c 'head -c 1000000 /dev/zero >big; echo s >small'
	END
	ask x true # makes ask.py
	run unshare --mount sh "$WORK/full"
	assert_status 125
	assert_out 'No space left'
	assert_line 'the rest lies in /.*shadow-'
	cat >"$WORK/full" <<-END
		mount -t tmpfs -o size=256k none '$PROJ' && cd '$PROJ' && echo old >big
		python3 '$WORK/ask.py' y '$SNUG' audit --apply -q -- sh -c 'head -c 1000000 /dev/zero >big'
		ls -A; cat big
	END
	run unshare --mount sh "$WORK/full"
	assert_line '^big'
	assert_line '^old'
	refute_out .snug-apply
}

@test "the rest of the host is read-only, /tmp private, other mounts are seen" {
	run "$SNUG" audit --shadow -q -- sh -c 'touch /usr/x 2>&1; ls -A /tmp /var/tmp /run | grep -v : ; cat /etc/hostname >/dev/null && echo read'
	assert_status 0
	assert_line '^read$'
	[ ! -e /usr/x ]
}

@test "what is mounted inside a shadowed directory is seen, read-only, and that is said" {
	is_root || skip "mounts a file system, which needs root"
	need unshare
	mkdir mnt
	run unshare --mount sh -c 'mount -t tmpfs none mnt && echo inner >mnt/f && "$SNUG" audit --shadow -- sh -c "cat mnt/f; touch mnt/new; touch here"'
	assert_line '^inner$'
	assert_line 'incomplete: \{project\}/mnt/new: is read-only'
	assert_line '^  new +\{project\}/here '
}

@test "names with commas, colons, blanks and backslashes, and long ones, are shadowed as well" {
	local long
	long=$(printf 'x%.0s' {1..200})
	mkdir -p "a,b:c\\d e/$long/$long"
	cd "a,b:c\\d e/$long/$long"
	run "$SNUG" audit --shadow -- sh -c 'echo hi >f; cat f'
	assert_status 0
	assert_line '^  new +\{project\}/f  3 B$'
	[ ! -e f ]
}

@test "a move between two shadowed directories, which one file system would allow, makes it incomplete" {
	is_root && skip "root has one overlay over both"
	touch f
	run "$SNUG" audit --shadow -- mv f "$HOME/f"
	assert_line 'incomplete: \{project\}/f: a shadow cannot move'
}

@test "what --deny-read hides is absent; --check speaks last; --check and --apply do not go together" {
	echo s >secret
	run "$SNUG" audit --shadow -q --deny-read=./secret -- cat secret
	assert_status 1
	assert_out 'No such file'
	run "$SNUG" audit --shadow --check -- touch y
	assert_same 'snug: check: clean' "${lines[-1]}"
	run "$SNUG" audit --apply --check -- touch y
	assert_status 2
}

@test "the layers are not in the view, and calls that a profile asks for are there" {
	mkdir "$PROJ/tmp"
	run env TMPDIR="$PROJ/tmp" "$SNUG" audit --no-keep --shadow -q -- sh -c 'ls -A tmp; ls -A "$XDG_STATE_HOME" 2>&1; echo end'
	assert_same end "$(grep -v 'No such' <<<"$output")"
	printf 'special: { userns: true }\n' >p.yaml
	run "$SNUG" audit --shadow -q --profile ./p.yaml -- unshare -U true
	assert_status 0
	run "$SNUG" audit --shadow -q -- unshare -U true
	assert_status 1
}

@test "--apply lists everything it asks about, set-id bits too" {
	need python3
	run ask n "$SNUG" audit --apply -- sh -c 'for i in $(seq 40); do echo >f$i; done; chmod 4755 f40; echo evil >~/.bashrc'
	assert_line '~/\.bashrc'
	assert_line 'f40 +1 B +mode 4755'
	refute_line '^ +[0-9]+ more'
	run "$SNUG" audit --shadow -- sh -c 'for i in $(seq 40); do echo >f$i; done'
	assert_line '^ +15 more'
}

@test "--timeout ends it; the report is written" {
	run "$SNUG" audit --shadow --timeout=1 -- sh -c 'touch y; sleep 30'
	assert_status 124
	assert_line '^  new +\{project\}/y '
}

@test "layers that a killed snug left go with their run" {
	"$SNUG" audit --shadow -q -- sh -c 'touch y; sleep 30' 3>&- &
	local pid=$! tries
	for ((tries = 0; tries < 100; tries++)); do
		[ -z "$(find "$XDG_STATE_HOME" -path '*upper*' -name y)" ] || break
		sleep 0.1
	done
	kill -KILL $pid
	wait $pid || true
	[ -n "$(find "$XDG_STATE_HOME" -name 'shadow-*')" ]
	sleep 1
	"$SNUG" runs rm "$(basename "$(find "$XDG_STATE_HOME/snug/runs" -mindepth 1 -maxdepth 1 -type d | tail -1)")"
	assert_same "" "$(find "$XDG_STATE_HOME" -name 'shadow-*')"
	[ ! -e y ]
}

@test "profiles of a checkout count only when trusted" {
	mkdir -p .git .snug/profiles
	echo 'name: web' >.snug/profiles/web.yaml
	run "$SNUG" audit --shadow +web -- touch ran
	assert_status 125
	assert_out 'snug trust'
}

@test "nothing is left behind: no mount, no layer, no process" {
	"$SNUG" audit --shadow -q -- sh -c 'mkdir -m 0 x; touch y'
	refute grep -q "$WORK" /proc/self/mounts
	assert_same "" "$(find "$XDG_STATE_HOME" -name 'shadow-*')"
}

@test "JSON has what would have been written and which credentials were asked for" {
	need python3
	"$SNUG" audit --shadow --format=json --report="$WORK/r.json" -q -- sh -c 'cat ~/.ssh/id_rsa; echo hi >new; rm a' || true
	python3 - "$WORK/r.json" <<-'END'
		import json, sys
		s = json.load(open(sys.argv[1]))["shadow"]
		assert s["egress"] == "open" and s["bytes"] == 3, s
		assert [x["path"] for x in s["stores"]] == ["~/.ssh/id_rsa"], s
		assert sorted((c["what"], c["path"], c["size"]) for c in s["changes"]) == [
		    ("new", "{project}/new", 3), ("removed", "{project}/a", 2)], s
	END
}

@test "flagship: npm install in a shadow installs nothing, and lists node_modules with its size" {
	need node npm curl python3
	net_start
	echo '{"name":"app","version":"1.0.0","dependencies":{"acme-plain":"^1.0.0"}}' >package.json
	before=$(state "$WORK/proj")
	run in_net env npm_config_registry=http://packages.example.org/ "$SNUG" audit --shadow +node \
		--allow-net=packages.example.org --allow-env='npm_config_*' -- npm install
	assert_status 0
	assert_line '^added [0-9]+ packages'
	assert_line '^  new +\{project\}/node_modules/ +[0-9]+ files, '
	assert_line '^  new +\{project\}/package-lock.json '
	refute_line 'missing: '
	assert_same "$before" "$(state "$WORK/proj")"
}
