#!/usr/bin/env bats
# roundtrip-dev.bats - compilers, version control and language runtimes: learnt in one copy, working in another one
load lib
load roundtrip

@test "round trip: make and gcc with a header from home" {
	need make gcc
	fixture() {
		mkdir -p "$HOME/src/dep/include"
		echo '#define ANSWER 42' >"$HOME/src/dep/include/dep.h"
		printf '#include <stdio.h>\n#include "dep.h"\nint main(void) { printf("%%d\\n", ANSWER); }\n' >"$PROJ/a.c"
		printf 'all: a\n\t./a\na: a.c\n\tgcc -I%s/src/dep/include -o a a.c\n' '$(HOME)' >"$PROJ/Makefile"
	}
	roundtrip +make '@differs=project/a$' -- make -s
}

@test "round trip: git clone, commit" {
	need git
	fixture() {
		local g
		mkdir -p "$HOME/src"
		printf '[user]\n\tname = S\n\temail = s@example.org\n[init]\n\tdefaultBranch = main\n' >"$HOME/.gitconfig"
		g=(git -c init.defaultBranch=main -c user.name=S -c user.email=s@example.org)
		(
			export GIT_AUTHOR_DATE='@1000000000 +0000' GIT_COMMITTER_DATE='@1000000000 +0000'
			"${g[@]}" init -q "$HOME/src/origin"
			cd "$HOME/src/origin" && echo 1 >f && "${g[@]}" add f && "${g[@]}" commit -qm one
		)
	}
	roundtrip '@differs=/\.git/' -- sh -c 'export GIT_AUTHOR_DATE="@1000000000 +0000" GIT_COMMITTER_DATE="@1000000000 +0000"; git clone -q ~/src/origin copy && cd copy && echo 2 >>f && git commit -qam two && git log --format=%an-%s'
}

@test "round trip: git clone, commit under +git" {
	need git
	fixture() {
		local g=(git -c init.defaultBranch=main -c user.name=S -c user.email=s@example.org)
		mkdir -p "$HOME/src"
		printf '[user]\n\tname = S\n\temail = s@example.org\n' >"$HOME/.gitconfig"
		(
			export GIT_AUTHOR_DATE='@1000000000 +0000' GIT_COMMITTER_DATE='@1000000000 +0000'
			"${g[@]}" init -q "$HOME/src/origin"
			cd "$HOME/src/origin" && echo 1 >f && "${g[@]}" add f && "${g[@]}" commit -qm one
		)
	}
	roundtrip +git '@differs=/\.git/' -- sh -c 'export GIT_AUTHOR_DATE="@1000000000 +0000" GIT_COMMITTER_DATE="@1000000000 +0000"; git clone -q ~/src/origin copy && cd copy && echo 2 >>f && git commit -qam two && git log --format=%an-%s'
}

@test "round trip: python venv" {
	need python3
	skip_unless "no python3-venv here" python3 -c 'import ensurepip'
	fixture() {
		mkdir -p "$HOME/.config/pip"
		printf '[global]\nno-index = true\n' >"$HOME/.config/pip/pip.conf"
	}
	roundtrip +python '@differs=\.pyc$' -- sh -c 'python3 -m venv --without-pip env && env/bin/python -c "print(6 * 7)"'
}

@test "round trip: python with a module from home" {
	need python3
	fixture() {
		mkdir -p "$HOME/src/lib"
		echo 'answer = 42' >"$HOME/src/lib/mymod.py"
	}
	roundtrip +python '@differs=\.pyc$' -- sh -c 'PYTHONPATH=$HOME/src/lib python3 -c "import mymod; print(mymod.answer)"'
}

@test "round trip: node reads settings and writes a cache" {
	need node
	fixture() {
		mkdir -p "$HOME/.config/tool"
		echo '{"n": 3}' >"$HOME/.config/tool/conf.json"
		cat >"$PROJ/main.js" <<-'END'
			const fs = require("fs"), home = require("os").homedir();
			const n = JSON.parse(fs.readFileSync(home + "/.config/tool/conf.json")).n;
			fs.mkdirSync(home + "/.cache/tool", { recursive: true });
			fs.writeFileSync(home + "/.cache/tool/last", String(n * 2));
			console.log(n);
		END
	}
	roundtrip +node -- node main.js
}

@test "round trip: npm pack" {
	need npm
	fixture() {
		echo '{"name":"packed","version":"1.0.0","main":"i.js"}' >"$PROJ/package.json"
		echo 'exports.x = 1' >"$PROJ/i.js"
	}
	roundtrip +node @none '@differs=\.tgz$' -- npm pack --offline --silent
}

@test "round trip: a plain build needs nothing" {
	need make gcc
	fixture() {
		echo 'int main(void) { return 0; }' >"$PROJ/a.c"
		printf 'a: a.c\n\tgcc -o a a.c\n' >"$PROJ/Makefile"
	}
	roundtrip +make @none '@differs=project/a$' -- make -s
}
