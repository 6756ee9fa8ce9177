#!/usr/bin/env bats
# tasks.bats - each built-in profile does the task it is for: no required finding under it, and it works confined
load lib
load ../flagship/net
load tasks

setup() {
	snug_setup
	unset NODE_EXTRA_CA_CERTS SSL_CERT_FILE # of this host; runtimes read the files they name
}
teardown() { net_stop; }

@test "node: npm ci of 30 packages and a native build" {
	need node npm make g++ python3
	[ -e /usr/include/node/node_api.h ] || skip "no headers of node in /usr/include/node"
	net_start --generate 30
	in=in_net
	echo 'registry=http://packages.example.org/' >.npmrc
	echo '{"name":"app","version":"1.0.0","dependencies":{"gen-01":"*","acme-addon":"*"}}' >package.json
	in_net npm install --ignore-scripts --package-lock-only --no-audit --no-fund >/dev/null
	reset() { rm -rf node_modules "$HOME/.npm"; }
	task +node --allow-net=packages.example.org -- npm ci
	[ "$(find node_modules -maxdepth 1 -name 'gen-*' | wc -l)" = 30 ]
	assert_same 42 "$(node -p 'require("acme-addon")')"
}

@test "node: a test run of a plain project" {
	need node npm
	echo '{"name":"app","version":"1.0.0","scripts":{"test":"node --test"}}' >package.json
	echo 'require("node:test")("adds", () => { if (1 + 1 !== 2) throw 1; });' >a.test.js
	reset() { :; }
	task +node -- npm test
}

@test "git: init, clone, commit, push, worktree, fetch" {
	need git
	printf '[user]\n\tname = S\n\temail = s@example.org\n[init]\n\tdefaultBranch = main\n' >"$HOME/.gitconfig"
	mkdir -p "$HOME/.config/git"
	echo '*.o' >"$HOME/.config/git/ignore"
	reset() { rm -rf origin.git work tree other; }
	task +git -- sh -ec '
		git init -q --bare origin.git
		git clone -q origin.git work 2>/dev/null
		cd work
		echo 1 >f && touch x.o && git add . && git commit -qm one && git push -q origin HEAD
		git worktree add -q ../tree -b side
		cd ../tree && echo 2 >>f && git commit -qam two && cd ..
		git clone -q origin.git other && cd work && git push -q origin side
		cd ../other && git fetch -q && git log --format=%s origin/side | head -1
		git status --short && git gc -q'
	[ ! -e work/.git/x ] && [ "$(git -C other log --format=%an origin/side -1)" = S ]
}

@test "python: venv, and pip install of a local wheel" {
	need python3
	skip_unless "no python3-venv here" python3 -c 'import ensurepip'
	python3 - <<-'END'
		import zipfile
		with zipfile.ZipFile("acme-1.0-py3-none-any.whl", "w") as z:
		    z.writestr("acme.py", "answer = 42\n")
		    z.writestr("acme-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: acme\nVersion: 1.0\n")
		    z.writestr("acme-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\nGenerator: t\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
		    z.writestr("acme-1.0.dist-info/RECORD", "acme.py,,\nacme-1.0.dist-info/METADATA,,\nacme-1.0.dist-info/WHEEL,,\nacme-1.0.dist-info/RECORD,,\n")
	END
	reset() { rm -rf env; }
	task +python -- sh -ec 'python3 -m venv env && env/bin/pip install -q --no-index ./acme-1.0-py3-none-any.whl && env/bin/python -c "import acme; print(acme.answer)"'
	assert_out 42
}

@test "make: a build with headers, an archive and a test" {
	need make gcc ar
	mkdir src include
	echo 'int answer(void);' >include/a.h
	printf '#include "a.h"\nint answer(void) { return 42; }\n' >src/a.c
	printf '#include "a.h"\nint main(void) { return answer() != 42; }\n' >src/main.c
	printf 'check: prog\n\t./prog\nprog: src/main.o liba.a\n\tgcc -o $@ $^\nliba.a: src/a.o\n\tar rcs $@ $^\n%%.o: %%.c\n\tgcc -Iinclude -c -o $@ $<\n' >Makefile
	reset() { rm -f prog liba.a src/*.o; }
	task +make -- make check
}

@test "untrusted: works on the project, and on nothing else" {
	echo data >file
	echo hidden-bytes >"$HOME/secret"
	reset() { rm -f copy; }
	task +untrusted -- cp file copy
	run "$SNUG" run +untrusted -- cat "$HOME/secret"
	[ "$status" != 0 ]
	refute_out hidden-bytes
}

@test "proxy: hosts that nobody granted answer 403" {
	need curl python3
	net_start
	run in_net "$SNUG" run +proxy -- curl -sS -o /dev/null -w '%{http_code}' http://files.example.net/x
	assert_out 403
	run in_net "$SNUG" run +proxy --allow-net=files.example.net -- curl -sS http://files.example.net/x
	assert_status 0
	assert_out '192.0.2.20 served /x'
}

@test "insecure: reads the whole host" {
	echo hidden-bytes >"$HOME/secret"
	run "$SNUG" run +insecure -- cat "$HOME/secret"
	assert_status 0
	assert_out hidden-bytes
}

@test "make: twenty checks of an unchanged build are twenty times clean" {
	need make gcc
	echo 'int main(void) { return 0; }' >a.c
	printf 'a: a.c\n\tgcc -o a a.c\n' >Makefile
	local i
	for i in {1..20}; do
		rm -f a
		"$SNUG" audit +make --check -q -- make -s
	done
}
