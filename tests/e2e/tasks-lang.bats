#!/usr/bin/env bats
# tasks-lang.bats - as tasks.bats, for profiles whose tools take their time
load lib
load tasks

setup() {
	snug_setup
	unset NODE_EXTRA_CA_CERTS SSL_CERT_FILE
}

@test "rust: cargo test and run of a package with a dependency by path and a build script" {
	need cargo cc
	skip_unless "cargo does not start without this user's toolchain" cargo --version
	mkdir -p src dep/src "$HOME/.cargo" # as whoever has cargo has
	printf '[package]\nname = "app"\nversion = "0.1.0"\nedition = "2021"\n[dependencies]\ndep = { path = "dep" }\n' >Cargo.toml
	printf '[package]\nname = "dep"\nversion = "0.1.0"\nedition = "2021"\n' >dep/Cargo.toml
	echo 'pub fn answer() -> u32 { 42 }' >dep/src/lib.rs
	echo 'fn main() { println!("cargo:rustc-env=BUILT=yes"); }' >build.rs
	echo 'fn main() { println!("{} {}", dep::answer(), env!("BUILT")); }
	#[test] fn it_is() { assert_eq!(dep::answer(), 42); }' >src/main.rs
	reset() { rm -rf target Cargo.lock; }
	task +rust -- sh -ec 'cargo test -q --offline && cargo run -q --offline'
	assert_out '42 yes'
}

@test "go: build, test and vet of a module with two packages" {
	need go
	mkdir -p sub "$HOME/.cache"
	printf 'module example.org/app\n\ngo 1.18\n' >go.mod
	printf 'package sub\n\nfunc Answer() int { return 42 }\n' >sub/sub.go
	printf 'package sub\n\nimport "testing"\n\nfunc TestAnswer(t *testing.T) {\n\tif Answer() != 42 {\n\t\tt.Fail()\n\t}\n}\n' >sub/sub_test.go
	printf 'package main\n\nimport (\n\t"fmt"\n\n\t"example.org/app/sub"\n)\n\nfunc main() { fmt.Println(sub.Answer()) }\n' >main.go
	reset() { :; }
	# a program that is kept is renamed out of /tmp, which is EXDEV confined, and copied then: a finding all the same
	task +go -- sh -ec 'go build ./... && go test ./... && go vet ./... && go run .'
	run "$SNUG" run +go -- sh -ec 'go build -o app . && ./app'
	assert_line '^42$'
}

# Nobody's account is at hand: a program that does what the command line does with its files and hosts
@test "claude: reads its settings, keeps its state by rename, asks its host" {
	need curl
	mkdir -p "$HOME/.local/bin" "$HOME/.claude"
	echo '{"runs":1}' >"$HOME/.claude.json"
	echo '{}' >"$HOME/.claude/settings.json"
	cat >"$HOME/.local/bin/claude" <<-'END'
		#!/bin/sh -e
		cat "$HOME/.claude/settings.json" >/dev/null
		echo '{"runs":2}' >"$HOME/.claude.json.new" && mv "$HOME/.claude.json.new" "$HOME/.claude.json"
		mkdir -p "$HOME/.claude/projects" && echo asked >>"$HOME/.claude/projects/log"
		echo edited >>file
		echo "key ${ANTHROPIC_API_KEY:-none}"
	END
	chmod +x "$HOME/.local/bin/claude"
	reset() { echo '{"runs":1}' >"$HOME/.claude.json"; rm -rf "$HOME/.claude/projects" file; }
	PATH=$HOME/.local/bin:$PATH ANTHROPIC_API_KEY=k-1 task +claude -- claude
	assert_line '^key k-1$'
	assert_same '{"runs":2}' "$(cat "$HOME/.claude.json")"
	assert_same asked "$(cat "$HOME/.claude/projects/log")"
	assert_same edited "$(cat file)"
	run "$SNUG" explain +claude
	assert_line '^  allow \.anthropic\.com'
}
