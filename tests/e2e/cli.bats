#!/usr/bin/env bats
# cli.bats - words on the command line: verbs, options, refusals, help
bats_require_minimum_version 1.5.0
load lib

@test "no word at all shows help and is bad usage" {
	run "$SNUG"
	assert_status 2
	assert_out "snug audit +node -- npm install"
}

@test "--help goes to stdout, exit 0, at most 15 options; --help-all has more" {
	run --separate-stderr "$SNUG" audit --help
	assert_status 0
	[ -z "$stderr" ]
	few=$(grep -cE '^ +(-[a-zA-Z], )?--[a-z]' <<<"$output")
	[ "$few" -le 15 ]
	run "$SNUG" audit --help-all
	assert_status 0
	[ "$(grep -cE '^ +(-[a-zA-Z], )?--[a-z]' <<<"$output")" -gt "$few" ]
	run "$SNUG" help audit
	assert_status 0
	assert_out "snug audit [+PROFILE..]"
}

@test "--version names the version and nothing else" {
	run "$SNUG" --version
	assert_status 0
	assert_line '^snug [0-9]+\.[0-9]+\.[0-9]+$'
	[ "${#lines[@]}" = 1 ]
	assert_same "$output" "$("$SNUG" -V)"
}

@test "bad usage is exit 2 with the way to help, before any command ran" {
	for words in "audit --nope -- touch ran" "audit touch ran" "audit --check=some -- touch ran" \
		"audit --timeout=soon -- touch ran" "run --format=json -- touch ran" "+ -- touch ran" \
		"--network=host --allow-net=x -- touch ran" "audit --audit-out" \
		"audit --network-only --network-trace=off -- touch ran"; do
		# shellcheck disable=SC2086 # words
		run "$SNUG" $words
		assert_status 2
		assert_line '^try: snug .*--help$'
	done
	[ ! -e ran ]
}

@test "an unknown option names the nearest one" {
	run "$SNUG" audit --show-grantd -- true
	assert_status 2
	assert_out "did you mean --show-granted?"
}

@test "what later versions will do is refused with 125, and runs nothing" {
	for words in "audit --pcap=x" "audit --dns=real" \
		"audit --backend=ebpf" "audit --backend=ptrace" "run --secret=X" "run --detach"; do
		# shellcheck disable=SC2086 # words
		run "$SNUG" $words -- touch ran
		assert_status 125
		assert_out "not available in this version"
	done
	for verb in exec grant revoke ls inspect kill snapshot rootfs review; do
		run "$SNUG" $verb
		assert_status 125
		assert_out "not available in this version"
	done
	[ ! -e ran ]
}

@test "--no-sandbox and -A are refused with a reason" {
	for option in --no-sandbox -A; do
		run "$SNUG" run $option -- touch ran
		assert_status 125
		assert_out "refused"
	done
	[ ! -e ran ]
}

@test "a link named audit is snug audit" {
	ln -s "$SNUG" audit
	run ./audit -q -- sh -c 'exit 7'
	assert_status 7
}

@test "after -- nothing is parsed, and the verb may stand after a profile" {
	run --separate-stderr "$SNUG" +git audit -q -- echo +node --help -- --check
	assert_status 0
	assert_same "+node --help -- --check" "$output"
}

@test "an unknown profile is 125 and names the nearest" {
	run "$SNUG" audit +nodde -- touch ran
	assert_status 125
	assert_out "node"
	[ ! -e ran ]
}

@test "a broken profile is file:line:column: message, exit 125" {
	printf 'binds:\n  - { source: /srv, mood: ro }\n' >p.yaml
	run "$SNUG" audit --profile ./p.yaml -- touch ran
	assert_status 125
	assert_line 'p\.yaml:2:[0-9]+: .*mood'
	[ ! -e ran ]
}

@test "completion offers the options of a verb and the values of an option" {
	need bash
	run bash -c 'source "$SRC/cli/completion/snug.bash"
		COMP_WORDS=(snug audit --sh) COMP_CWORD=2; _snug 2>/dev/null; echo "${COMPREPLY[*]}"
		COMP_WORDS=(snug audit --format = j) COMP_CWORD=4; _snug 2>/dev/null; echo "${COMPREPLY[*]}"
		COMP_WORDS=(snug re) COMP_CWORD=1; _snug 2>/dev/null; echo "${COMPREPLY[*]}"'
	assert_same $'--show-granted --shadow\njson\nreport' "$output"
}

@test "man pages are clean" {
	need mandoc
	run mandoc -Tlint -W warning "$SRC/docs/man/snug.1" "$SRC/docs/man/snug-audit.1"
	assert_status 0
}

@test "check tries audit, hosts and run; --json says the same" {
	run "$SNUG" check
	assert_status 0
	assert_line '^audit .*works'
	assert_line '^hosts .*works'
	assert_line '^run .*works'
	run "$SNUG" check --json
	python3 -c 'import json, sys; r = json.loads(sys.argv[1]); assert r["audit"]["works"] and r["run"]["works"], r' "$output"
	run "$SNUG" audit -q --no-keep -- "$SNUG" check
	assert_status 0
	assert_line '^audit .*no: '
}

@test "check tries what they stand on, and names what is missing and what to do" {
	run "$SNUG" check
	for what in userns landlock notify yama apparmor overlay ebpf nft tun; do
		assert_line "^  $what +[a-z].*(works|no: .+ \(for: .+\)$)"
	done
	run "$SNUG" check --json
	for what in userns landlock overlay tun; do
		assert_line "\"$what\":\{\"works\":(true|false),\"serves\":\"[^\"]+\",\"(note|reason)\":"
	done
	# as on a kernel that has no Landlock
	NO_CALL=444 run "$O/tests/targets/no_clone" "$SNUG" check
	assert_line '^  landlock .*no: .*Linux 5\.19'
	assert_line '^run .*no: .*--best-effort'
	assert_status 2
	[ ! -e /tmp/l ]
}

@test "check is exit 2 with the remedy where run cannot work" {
	skip_unless "no user namespaces here" unshare -r true
	skip_unless "the limit of user namespaces cannot be set" unshare -r sh -c 'echo 0 >/proc/sys/user/max_user_namespaces'
	run unshare -r sh -c 'echo 0 >/proc/sys/user/max_user_namespaces
		exec setpriv --bounding-set=-all --inh-caps=-all "$1" check' sh "$SNUG"
	assert_status 2
	assert_line '^run .*no: .*user namespace'
}

@test "what could not be written to standard output is 125 with the reason, for every verb that prints" {
	"$SNUG" audit -q -- true
	for words in "profile list" explain runs check "why / last" "report last" "learn last" "explain -- true" -V --help; do
		# shellcheck disable=SC2086 # words
		run bash -c '"$@" >/dev/full' - "$SNUG" $words
		assert_status 125
		assert_line '^snug: writing to standard output'
	done
}

@test "explain says what run would refuse" {
	cd "$HOME"
	run "$SNUG" explain -- true
	assert_status 0
	assert_line '^run refuses$'
	assert_out --project-anyway
	run "$SNUG" explain --project-anyway -- true
	refute_out "run refuses"
	cd "$PROJ"
	run "$SNUG" explain -- true
	refute_out "run refuses"
	printf 'binds:\n  - { source: "/no/such/place", mode: ro }\n' >p.yaml
	run "$SNUG" explain --profile ./p.yaml -- true
	assert_line '^run refuses$'
	assert_out "/no/such/place"
}

@test "an empty command name is said to be empty" {
	run "$SNUG" -- ''
	assert_status 2
	assert_out "is empty"
}

@test "a directory that does not exist is said with the remedy" {
	for verb in run audit explain; do
		run "$SNUG" $verb -C /nosuch -- true
		assert_status 125
		assert_out "/nosuch: No such file or directory; -C wants a directory"
		run "$SNUG" $verb --project /nosuch -- true
		assert_status 125
		assert_out "--project wants a directory"
	done
}

@test "a variable that the proxy overrules is said once, and no other is" {
	run "$SNUG" --env http_proxy=http://x.example:1 --env A=b --allow-net=a.example -- true
	assert_status 0
	assert_same 'snug: http_proxy (--env) is not used: with network mode proxy snug sets it' "$output"
	run "$SNUG" --env http_proxy=http://x.example:1 -- sh -c 'echo $http_proxy'
	assert_same 'http://x.example:1' "$output"
}

@test "a missing interpreter is named, and granted only where it exists" {
	mkdir -p "$HOME/bin"
	printf '#!/no/such/interp -x\n' >s1
	printf '#!%s/bin/sh\n' "$HOME" >s2
	cp "$(command -v sh)" "$HOME/bin/sh"
	chmod +x s1 s2
	run -126 "$SNUG" -- ./s1
	assert_out "/no/such/interp, does not exist on this host either"
	refute_out "--allow-read"
	run -126 "$SNUG" -- ./s2
	assert_out "--allow-read=$HOME/bin/sh"
	run "$SNUG" --allow-read="$HOME/bin/sh" -- ./s2
	assert_status 0
}

@test "a bad command line of any verb is 2" {
	for line in "trust a b" "profile validate" "profile show" "profile diff a" "profile nosuch" "learn" "trace -- true" "why" "runs nosuch" "check nosuch"; do
		run $SNUG $line
		[ "$status" = 2 ] || fail "$line: $status: $output"
	done
}
