#!/usr/bin/env bats
# profile.bats - profiles on the command line: strictness, profile verbs, trust, explain, what a profile grants confined
bats_require_minimum_version 1.5.0
load lib

@test "Y05 a misspelt key is exit 125 with file, line, column and the nearest key, and nothing runs" {
	printf 'name: p\nbind:\n  - { source: /etc/hostname }\n' >p.yaml
	run "$SNUG" run --profile ./p.yaml -- touch ran
	assert_status 125
	assert_line "^snug: \./p\.yaml:2:1: unknown key 'bind'; did you mean 'binds'\?"
	[ ! -e ran ]
	printf 'binds: [{ source: /x, mode: RW }]\n' >p.yaml
	run "$SNUG" audit --profile ./p.yaml -- touch ran
	assert_status 125
	assert_out "did you mean 'rw'?"
	[ ! -e ran ]
}

@test "Y02 an alias bomb is refused in a tenth of a second and little memory" {
	{
		echo 'a0: &a0 [x, x, x, x, x, x, x, x, x]'
		for i in 1 2 3 4 5 6 7 8 9; do
			p="*a$((i - 1))"
			echo "a$i: &a$i [$p, $p, $p, $p, $p, $p, $p, $p, $p]"
		done
	} >p.yaml
	# the sanitizers' shadow is larger than any limit
	grep -q __asan_init "$SNUG" && limit=: || limit='ulimit -v 100000'
	run timeout 1 bash -c "$limit"'; "$SNUG" profile validate ./p.yaml'
	assert_status 125
	assert_line 'p\.yaml:1:5: anchors and aliases'
}

@test "Y03 Y08 duplicates, tags, second documents, NUL, too much: all refused with a line" {
	i=0
	for text in 'name: a\nname: b' 'name: !x a' 'name: a\n---\nname: b' 'a\0b: c' 'name: \xff' '\t- x' '- a' ''; do
		# shellcheck disable=SC2059 # a format on purpose
		printf -- "$text" >"p$i.yaml"
		run "$SNUG" profile validate "./p$i.yaml"
		assert_status 125
		assert_line "^snug: \./p$i\.yaml:[0-9]+:[0-9]+: "
		i=$((i + 1))
	done
	head -c 10000000 /dev/zero | tr '\0' '#' >big.yaml
	run "$SNUG" profile validate ./big.yaml
	assert_status 125
	assert_out "more than the 1048576"
}

@test "Y04 values that look like booleans and numbers stay texts" {
	printf 'env: { set: { A: no, B: 017, C: 1.0, D: ~ } }\n' >p.yaml
	run "$SNUG" run --profile ./p.yaml -- sh -c 'echo "$A $B $C $D"'
	assert_status 0
	assert_line '^no 017 1\.0 ~$'
}

@test "Y06 an empty list of hosts allows none" {
	printf 'proxy: { allow_hosts: [] }\n' >p.yaml
	run "$SNUG" explain --profile ./p.yaml
	assert_status 0
	assert_line '^  mode proxy +\./p\.yaml:1$'
	assert_line 'no host is allowed'
}

@test "Y07 a home with YAML in its name is a path like any other, and nothing else is expanded" {
	export HOME="$WORK/a: {}
b"
	mkdir -p "$HOME/d"
	echo inside >"$HOME/d/f"
	printf 'binds: [{ source: "~/d/f" }]\n' >p.yaml
	run "$SNUG" run --profile ./p.yaml -- sh -c 'cat "$HOME/d/f"'
	assert_status 0
	assert_line '^inside$'
	for path in '~root/x' '${UNSET}/x' '/x/$(id)' '$HOME/x'; do
		printf "mask: ['%s']\n" "$path" >p.yaml
		run "$SNUG" explain --profile ./p.yaml
		assert_status 125
		assert_line '^snug: \./p\.yaml:1:8: '
	done
}

@test "G07 a bind of a name that is not UTF-8" {
	dir=$(snug_tmp other)
	f="$dir/zo"$'\xe8'.mp3
	echo la >"$f"
	printf "binds: [{ source: '%s/zo\\\\xe8.mp3' }]\n" "$dir" >p.yaml
	run "$SNUG" run --profile ./p.yaml -- cat "$f"
	assert_status 0
	assert_line '^la$'
}

@test "G06 denying one name of a program denies the other" {
	[ -L /bin ] || skip "/bin is no link here"
	printf 'deny: { read: [/bin/dirname] }\n' >p.yaml
	run "$SNUG" run --profile ./p.yaml -- /usr/bin/dirname /a/b
	[ "$status" != 0 ]
	run "$SNUG" run --profile ./p.yaml -- /bin/dirname /a/b
	[ "$status" != 0 ]
	run "$SNUG" run -- /bin/dirname /a/b
	assert_status 0
}

@test "G02 every built-in validates, and so does what the canonical writer makes of it" {
	for name in $("$SNUG" profile list | awk '$2 == "builtin" { print $1 }'); do
		run "$SNUG" profile validate "$name"
		assert_status 0
		assert_line "^$name: ok\$"
		"$SNUG" profile show "builtin:$name" >"$name.yaml"
		run "$SNUG" profile diff "$name" "./$name.yaml"
		assert_status 0
		[ -z "$output" ]
	done
}

@test "profile diff is 0 for the same, 1 for different, 2 for trouble" {
	printf 'name: a\nmask: [/x]\n' >a.yaml
	printf '# a comment\nname:   a\nmask:\n  - "/x"\n' >b.yaml
	printf 'name: a\nmask: [/y]\n' >c.yaml
	run "$SNUG" profile diff ./a.yaml ./b.yaml
	assert_status 0
	run "$SNUG" profile diff ./a.yaml ./c.yaml
	assert_status 1
	assert_line '^-  - "/x"$'
	assert_line '^\+  - "/y"$'
	run "$SNUG" profile diff ./a.yaml ./nope.yaml
	assert_status 2
	run "$SNUG" profile diff ./a.yaml
	assert_status 2
}

@test "profile show prints the author's text with its origin" {
	mkdir -p "$HOME/.config/snug/profiles"
	printf '# why\nname:  mine\n' >"$HOME/.config/snug/profiles/mine.yaml"
	run "$SNUG" profile show mine
	assert_status 0
	assert_same "# user:mine $HOME/.config/snug/profiles/mine.yaml
# why
name:  mine" "$output"
	run "$SNUG" profile show nod
	assert_status 125
	assert_out "did you mean 'node'?"
	run "$SNUG" profile frobnicate
	assert_status 2
}

@test "profile schema is JSON, accepts the built-ins' keys and is told in the manual" {
	need python3
	"$SNUG" profile schema >schema.json
	python3 - <<-'END' >keys
		import json
		for k, v in json.load(open("schema.json"))["properties"].items():
		    print("\n".join(f"{k}.{s}" for s in v["properties"]) if "properties" in v else k)
	END
	[ "$(wc -l <keys)" -ge 30 ]
	while read -r key; do
		grep -qF -- "$key" "$SRC/docs/man/snug-profile.5" || fail "snug-profile(5) does not say $key"
	done <keys
}

@test "a checkout's profile is read as it is, applied only when trusted, and untrusted again when it changes" {
	mkdir -p .git .snug/profiles
	printf 'name: web\nenv: { set: { W: one } }\n' >.snug/profiles/web.yaml
	run "$SNUG" explain +web
	assert_status 0
	assert_line '^  set   W +repo:web:2$'
	run "$SNUG" run +web -- touch ran
	assert_status 125
	assert_out "is not trusted"
	assert_out "snug trust $PROJ"
	[ ! -e ran ]
	# the file itself is consent
	run "$SNUG" run --profile .snug/profiles/web.yaml -- sh -c 'echo $W'
	assert_status 0
	assert_line '^one$'
	# the command that was printed works
	run sh -c "$(run_hint)"
	assert_status 0
	assert_line "^trusted: .*web\.yaml$"
	run "$SNUG" run +web -- sh -c 'echo $W'
	assert_line '^one$'
	printf 'name: web\nenv: { set: { W: two } }\n' >.snug/profiles/web.yaml
	run "$SNUG" run +web -- touch ran
	assert_status 125
	assert_line '^-env: \{ set: \{ W: one \} \}$'
	assert_line '^\+env: \{ set: \{ W: two \} \}$'
	[ ! -e ran ]
	[ "$(stat -c %a "$XDG_STATE_HOME/snug/trust")" = 700 ]
}
run_hint() { "$SNUG" run +web -- true 2>&1 | sed -n 's/.*then type: snug /'"${SNUG//\//\\/} /p"; }

@test "a repository's node does not replace the built-in one unseen" {
	mkdir -p .git .snug/profiles
	printf 'name: node\nproject: ro\n' >.snug/profiles/node.yaml
	run "$SNUG" run +node -- touch ran
	assert_status 125
	[ ! -e ran ]
	run "$SNUG" run +builtin:node -- touch ran
	assert_status 0
	run "$SNUG" explain +node
	assert_line 'repo:node .* stands before builtin:node'
	run "$SNUG" trust
	assert_line 'trusted: .*/node.yaml, which stands before builtin:node$'
	run "$SNUG" run +node -- true
	assert_status 0
	assert_line '^snug: repo:node .* stands before builtin:node$'
	run "$SNUG" run -q +node -- true
	assert_same "$output" ""
}

@test "use composes each profile once, and a cycle is told with its chain" {
	printf 'use: [git, node]\n' >p.yaml
	run "$SNUG" explain --profile ./p.yaml +git
	assert_status 0
	assert_line '^  builtin:base builtin:git builtin:node \./p\.yaml$'
	mkdir -p .git .snug/profiles
	printf 'name: a\nuse: [b]\n' >.snug/profiles/a.yaml
	printf 'name: b\nuse: [a]\n' >.snug/profiles/b.yaml
	run "$SNUG" explain +a
	assert_status 125
	assert_out "repo:a -> repo:b -> repo:a"
}

@test "explain says for every line where it came from" {
	printf 'name: p\nbinds:\n  - { source: "%s", mode: rw }\n' "$(snug_tmp out)" >p.yaml
	run "$SNUG" explain +untrusted --profile ./p.yaml --allow-env=TOKEN --deny-read="$PROJ/.env" -- make all
	assert_status 0
	assert_line '^  mode none +builtin:untrusted:5$'
	assert_line "^  $WORK/out +\./p\.yaml:3\$"
	assert_line '^  \{project\} +default$'
	assert_line '^  pass  TOKEN +--allow-env$'
	assert_line '\{project\}/\.env is absent: nothing to hide +--deny-read$'
	assert_line '^  make all$'
	refute_out 'TOKEN='
	# a host listed while the mode is none
	run "$SNUG" explain +untrusted +node
	assert_line '^  allow \.npmjs\.org \(no effect: mode none\)'
}

@test "explain names what deserves a second look" {
	mkdir -p "$HOME/.ssh"
	run "$SNUG" explain --allow-read="$HOME/.ssh" --network host --allow-env
	assert_status 0
	assert_line 'look twice'
	assert_line '^  signing: .*\.ssh holds private keys +--allow-read$'
	assert_line '^  data: the raw network of the host.* +--network$'
	assert_line 'all variables are passed on.* +--allow-env$'
	run "$SNUG" explain --allow-write
	assert_line '^  the whole host tree +--allow-write$'
	run "$SNUG" explain
	refute_line 'look twice'
	need python3
	python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$WORK/sock"
	run "$SNUG" explain --allow-read="$WORK/sock"
	assert_line '^  trust: .*/sock is a socket: who listens acts outside, and may hand in open files +--allow-read$'
}

@test "explain shows no value of a variable" {
	SECRET=hush run "$SNUG" explain --allow-env=SECRET --env OTHER=hush
	assert_status 0
	refute_out hush
}

@test "a deny of a missing path in a writable tree is refused with the remedies" {
	printf 'deny: { write: ["{project}/.git"] }\n' >p.yaml
	run "$SNUG" run --profile ./p.yaml -- touch ran
	assert_status 125
	assert_out "create it first"
	assert_out "optional: true"
	[ ! -e ran ]
	mkdir .git
	run "$SNUG" run --profile ./p.yaml -- sh -c 'touch ran; touch .git/x'
	[ -e ran ]
	[ ! -e .git/x ]
}

@test "S19 a protected file cannot be reached by renaming a directory above it" {
	mkdir -p .git/hooks
	printf 'deny: { write: ["{project}/.git/hooks"] }\n' >p.yaml
	run "$SNUG" run --profile ./p.yaml -- sh -c 'mv .git .git2; mkdir -p .git/hooks; echo bad >.git/hooks/pre-commit; echo ok >.git/fine'
	[ ! -e .git/hooks/pre-commit ]
	[ -e .git/fine ]
}

@test "S09 masks of linked dot files protect the file behind the link" {
	mkdir -p dot real/.git/hooks
	echo secret-bytes >dot/bashrc
	ln -s dot/bashrc .bashrc
	ln -s nowhere dangling
	printf 'mask: ["{project}/.bashrc", "{project}/dangling"]\n' >p.yaml
	run "$SNUG" run --profile ./p.yaml -- sh -c 'cat .bashrc dot/bashrc; echo started'
	assert_line '^started$'
	refute_out secret-bytes
}

@test "S02 resolv.conf through links is readable inside, and a dangling one stops nothing" {
	d=$(snug_tmp etc)
	echo 'nameserver 192.0.2.1' >"$d/real"
	ln -s real "$d/one"
	ln -s "$d/one" "$d/two"
	ln -s nowhere "$d/gone"
	for name in one two; do
		printf 'binds: [{ source: "%s" }]\n' "$d/$name" >p.yaml
		run "$SNUG" run --profile ./p.yaml -- cat "$d/$name"
		assert_status 0
		assert_line '^nameserver 192\.0\.2\.1$'
	done
	printf 'binds: [{ source: "%s", optional: true }]\n' "$d/gone" >p.yaml
	run "$SNUG" run --profile ./p.yaml -- true
	assert_status 0
}

@test "a persistent home holds a project at any depth, with a protected profile in it" {
	for sub in p w/p w/x/p w/x/y/z/p; do
		mkdir -p "$HOME/$sub" "$HOME/hh"
		cd "$HOME/$sub"
		printf 'home: { persist: "~/hh" }\n' >u.yaml
		for i in 1 2; do # the second finds what the first has made
			run "$SNUG" --profile ./u.yaml -- sh -c 'echo 1 >f && ! echo x >u.yaml && ! mv "$HOME/w" "$HOME/v" && cat f'
			[ "$status" = 0 ] || { echo "$sub"; assert_status 0; }
		done
		[ "$(cat f)" = 1 ]
		[ "$(cat u.yaml)" = 'home: { persist: "~/hh" }' ]
		rm -rf "$HOME/hh"
	done
}

@test "a persistent home keeps what was written, with binds and links in it" {
	printf 'home: { persist: "%s" }\n' "$WORK/kept" >p.yaml
	echo '[user]' >"$HOME/.gitconfig"
	mkdir "$HOME/dot"
	echo linked >"$HOME/dot/f"
	ln -s dot/f "$HOME/.f"
	for i in 1 2; do
		run "$SNUG" run +git +node --profile ./p.yaml --allow-read="$HOME/dot/f" -- \
			sh -ec 'cat ~/dot/f ~/.gitconfig; echo more >>~/notes; echo x >~/.npm/x'
		assert_status 0
		assert_line '^linked$'
		assert_line '^\[user\]$'
	done
	assert_same "more
more" "$(cat "$WORK/kept/notes")"
	[ -e "$HOME/.npm/x" ] && [ ! -e "$HOME/notes" ]
	# the host's link is out of the command's reach; one in a tree that it may write is refused (run_next.bats)
	run "$SNUG" run --profile ./p.yaml --allow-read="$HOME/.f" -- sh -c 'cat ~/.f'
	assert_status 0
	assert_out linked
}

@test "explain names a profile that overrides" {
	printf 'override: true\nnetwork: { mode: proxy }\n' >p.yaml
	run "$SNUG" explain +untrusted --profile ./p.yaml
	assert_status 0
	assert_line '^  mode proxy +\./p\.yaml:2$'
	assert_line 'loosen what other profiles restrict +\./p\.yaml:1$'
}

@test "S11 git works with its hooks and worktree settings protected or hidden" {
	need git
	printf '[user]\n\tname = S\n\temail = s@example.org\n' >"$HOME/.gitconfig"
	git init -q . 2>/dev/null
	git config extensions.worktreeConfig true
	git config --worktree core.bare false
	printf 'deny: { write: ["{project}/.git/hooks", "{project}/.git/config", "{project}/.git/config.worktree"] }\n' >p.yaml
	run "$SNUG" run +git --profile ./p.yaml -- sh -ec 'git add -A; git commit -qm one; git status --short; git log --format=%s'
	assert_status 0
	assert_line '^one$'
	run "$SNUG" run +git --profile ./p.yaml -- git config core.hooksPath /tmp/evil
	[ "$status" != 0 ]
	run git config core.hooksPath
	[ -z "$output" ]
}

@test "S01 a worktree whose .git points elsewhere works with the bind that says so" {
	need git
	printf '[user]\n\tname = S\n\temail = s@example.org\n' >"$HOME/.gitconfig"
	git init -q "$WORK/main" 2>/dev/null
	git -C "$WORK/main" commit -q --allow-empty -m zero
	git -C "$WORK/main" worktree add -q "$WORK/tree" -b side
	cd "$WORK/tree"
	echo 1 >f
	run "$SNUG" run +git -- git status
	[ "$status" != 0 ]
	printf 'binds: [{ source: "%s", mode: rw }]\n' "$WORK/main/.git" >"$WORK/p.yaml"
	run "$SNUG" run +git --profile "$WORK/p.yaml" -- sh -ec 'git add f; git commit -qm one; git status --short'
	assert_status 0
	assert_same one "$(git -C "$WORK/main" log -1 --format=%s side)"
}

@test "S08 nothing can be written into a masked directory" {
	mkdir hidden
	printf 'mask: ["{project}/hidden"]\n' >p.yaml
	run "$SNUG" run --profile ./p.yaml -- sh -c 'echo x >hidden/f'
	[ "$status" != 0 ]
	[ ! -e hidden/f ]
	run "$SNUG" run --profile ./p.yaml -- sh -c 'mv hidden away; rmdir hidden'
	[ -d hidden ]
}
