#!/usr/bin/env bats
# audit_update.bats - --update=FILE: what is missing is added to a profile in place
bats_require_minimum_version 1.5.0
load lib

setup() {
	snug_setup
	mkdir -p "$HOME/.config/tool" "$HOME/.alpha"
	echo 1 >"$HOME/.config/tool/conf"
	echo 2 >"$HOME/.alpha/one"
	printf '# mine\nname: p\n\nbinds:\n  - { source: "~/.alpha", mode: ro }   # the first\n' >p.yaml
	chmod 640 p.yaml
}

@test "missing grants are added, the rest of the file stays, the diff is printed" {
	cp p.yaml before
	run "$SNUG" audit --update=p.yaml -- cat "$HOME/.config/tool/conf" "$HOME/.alpha/one"
	assert_status 0
	assert_line '^\+  - \{ source: .*\.config/tool'
	refute_line '^-[^-]'
	[ -z "$(diff before p.yaml | grep '^<')" ]
	grep -q '^# mine$' p.yaml
	grep -q '# the first$' p.yaml
	[ "$(stat -c %a p.yaml)" = 640 ]
	"$SNUG" profile validate ./p.yaml
}

@test "a second run changes nothing, and finds nothing" {
	"$SNUG" audit -q --update=p.yaml -- cat "$HOME/.config/tool/conf"
	cp -p p.yaml before
	run "$SNUG" audit --check --update=p.yaml -- cat "$HOME/.config/tool/conf"
	assert_status 0
	cmp before p.yaml
	assert_out "0 lines added"
}

@test "the command works confined under the updated file, as printed" {
	run "$SNUG" audit --update=p.yaml -- cat "$HOME/.config/tool/conf"
	next=$(sed -n 's/^snug: next: //p' <<<"$output")
	mkdir bin && ln -s "$SNUG" bin/snug
	run env PATH="$PWD/bin:$PATH" bash -c "$next"
	assert_status 0
	assert_same 1 "$output"
}

@test "learn --update does the same from a recording, the diff on stdout" {
	"$SNUG" trace -o rec -- cat "$HOME/.config/tool/conf"
	run --separate-stderr "$SNUG" learn --update=p.yaml ./rec
	assert_status 0
	assert_line '^\+  - \{ source: .*\.config/tool'
	cp p.yaml before
	run --separate-stderr "$SNUG" learn --update=p.yaml ./rec
	assert_same "" "$output"
	cmp before p.yaml
}

@test "what cannot be updated is told before the command starts" {
	run "$SNUG" audit --update=none.yaml -- touch ran
	assert_status 125
	assert_out "--audit-out"
	echo 'bind: 1' >bad.yaml
	run "$SNUG" audit --update=bad.yaml -- touch ran
	assert_status 125
	assert_line 'bad\.yaml:1:1'
	run "$SNUG" audit --update=. -- touch ran
	assert_status 125
	[ ! -e ran ]
}

@test "a trusted file that was updated stays trusted" {
	git init -q .
	mkdir -p .snug/profiles
	cp p.yaml .snug/profiles/
	"$SNUG" trust >/dev/null
	"$SNUG" audit -q --update=.snug/profiles/p.yaml -- cat "$HOME/.config/tool/conf"
	run "$SNUG" +p -- cat "$HOME/.config/tool/conf"
	assert_status 0
	echo '# changed by hand' >>.snug/profiles/p.yaml
	run "$SNUG" +p -- true
	assert_status 125
	assert_out "snug trust"
}

@test "a profile that is named twice stands once in the next command" {
	echo x >"$HOME/a"
	printf 'binds: []\n' >p.yaml
	run "$SNUG" audit --update=p.yaml --profile ./p.yaml -- cat "$HOME/a"
	assert_status 0
	assert_line '^snug: next: snug --profile=\./p\.yaml -- cat'
	[ "$(grep -o 'profile=' <<<"$(grep '^snug: next' <<<"$output")" | wc -l)" = 1 ]
}

@test "brackets and braces of every form are added to" {
	for text in 'env: {}' 'special: {}' '{ name: u, env: { allow: [A] } }' '{}' 'env: { allow: [] }' '{ env: {}, binds: [] }'; do
		echo "$text" >u.yaml
		run env XX=1 YY=2 "$SNUG" audit --update=u.yaml -- sh -c 'echo $XX $YY; cat "$HOME/.alpha/one"; exit 4'
		[ "$status" = 4 ] || { echo "$text"; assert_status 4; }
		"$SNUG" profile validate ./u.yaml
		run env XX=1 YY=2 "$SNUG" --profile ./u.yaml -- sh -c 'echo $XX $YY; cat "$HOME/.alpha/one"; exit 4'
		assert_status 4
		[ "$output" = $'1 2\n2' ] || { echo "$text"; cat u.yaml; return 1; }
	done
}
