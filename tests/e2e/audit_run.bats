#!/usr/bin/env bats
# audit_run.bats - the command under audit: streams, status, signals, environment, time
bats_require_minimum_version 1.5.0
load lib

# json_has FILE EXPRESSION: true of the document r
json_has() {
	python3 -c 'import json, sys; r = json.load(open(sys.argv[1])); sys.exit(not eval(sys.argv[2]))' "$1" "$2" || {
		cat "$1"
		return 1
	}
}

@test "B13 stdout is the command's alone; the report goes to stderr" {
	run --separate-stderr "$SNUG" audit -- printf 'a\nb\n'
	assert_status 0
	assert_same $'a\nb' "$output"
	grep -q 'nothing is confined' <<<"$stderr"
	assert_same 2 "$("$SNUG" audit -- printf 'a\nb\n' 2>/dev/null | wc -l | tr -d ' ')"
}

@test "stdin reaches the command" {
	assert_same hello "$(echo hello | "$SNUG" audit -q -- cat)"
}

@test "-q says nothing at all" {
	run "$SNUG" audit -q -- true
	assert_status 0
	assert_same "" "$output"
}

@test "the command's status is snug's, whatever was found" {
	for code in 0 1 2 3 4 5 77 124; do
		run "$SNUG" audit -q -- sh -c "exit $code"
		assert_status $code
	done
}

@test "a command killed by a signal gives 128+N" {
	for sig in 2 9 15; do
		run "$SNUG" audit -q -- sh -c "kill -$sig \$\$"
		assert_status $((128 + sig))
	done
}

@test "P12 ignored signals and the mask are the command's as without snug" {
	cat >show <<-'END'
		#!/bin/sh
		grep -E '^Sig(Blk|Ign)' /proc/self/status
	END
	chmod +x show
	for trap in CHLD PIPE INT "CHLD PIPE HUP"; do
		bare=$(trap '' $trap; ./show)
		audited=$(trap '' $trap; "$SNUG" audit -q -- ./show)
		assert_same "$bare" "$audited"
		code=0
		(trap '' $trap; "$SNUG" audit -q -- sh -c 'true; exit 3') || code=$?
		[ $code = 3 ]
	done
}

@test "an interrupt ends the command, not snug, which reports" {
	cat >wait <<-'END'
		#!/bin/sh
		trap 'echo interrupted; exit 9' INT
		echo up
		while :; do sleep 0.1; done
	END
	chmod +x wait
	# a process group of its own, so that the interrupt reaches all of it like a terminal's
	run python3 - "$SNUG" <<-'END'
		import os, signal, subprocess, sys, time
		p = subprocess.Popen([sys.argv[1], "audit", "--report=report", "--", "./wait"], stdout=subprocess.PIPE,
		                     stderr=subprocess.STDOUT, start_new_session=True)
		line = b""
		while b"up" not in line: line = p.stdout.readline()
		os.killpg(p.pid, signal.SIGINT)
		rest = p.stdout.read().decode()
		print(rest, p.wait())
	END
	assert_out interrupted
	assert_line ' 9$'
	grep -q '^snug: under' report
}

@test "B16 TERM to snug is passed on, and the report still comes" {
	for sig in TERM HUP; do
		cat >wait <<-END
			#!/bin/sh
			trap 'exit 8' $sig
			: >up
			while :; do sleep 0.05; done
		END
		chmod +x wait
		rm -f up report
		"$SNUG" audit --report=report -- ./wait 3>&- 2>err &
		pid=$!
		for _ in $(seq 100); do [ ! -e up ] || break; sleep 0.05; done
		kill -$sig $pid
		code=0
		wait $pid || code=$?
		[ $code = 8 ] || { cat err; fail "code $code"; }
		grep -q '^snug: under' report
	done
}

@test "--timeout ends the command with 124 and the report says so" {
	run "$SNUG" audit --timeout=1 --json --report=r.json -- sleep 30
	assert_status 124
	json_has r.json 'r["outcome"] == "timeout" and r["status"] == 124'
}

@test "a command that exits 124 by itself is no timeout" {
	run "$SNUG" audit --timeout=60 --json --report=r.json -- sh -c 'exit 124'
	assert_status 124
	json_has r.json 'r["outcome"] == "command-failed"'
}

@test "P18 command not found is 127, not executable 126, with a remedy" {
	run "$SNUG" audit -- no-such-command-here
	assert_status 127
	assert_out "not found"
	assert_out "PATH"
	touch plain
	run "$SNUG" audit -- ./plain
	assert_status 126
	run "$SNUG" audit -- "$PWD"
	assert_status 126
	printf '#!/no/such/interpreter\n' >script
	chmod +x script
	run "$SNUG" audit -- ./script
	assert_status 127
	[ ! -e "$XDG_STATE_HOME/snug/runs/last" ]
}

@test "G09 strange environment entries neither hurt nor reach a suggestion" {
	run env -i PATH="$PATH" HOME="$HOME" XDG_STATE_HOME="$XDG_STATE_HOME" python3 - "$SNUG" <<-'END'
		import ctypes, os, sys
		snug = sys.argv[1].encode()
		envp = [b"PATH=" + os.environb[b"PATH"], b"HOME=" + os.environb[b"HOME"],
		        b"XDG_STATE_HOME=" + os.environb[b"XDG_STATE_HOME"],
		        b"-S=x", b"--split-string=touch ran", b"novalue", b"TWICE=1", b"TWICE=2", b"NEW\nLINE=x"]
		argv = [snug, b"audit", b"--audit-out=s.yaml", b"--", b"sh", b"-c", b"tr '\\0' '\\n' </proc/$$/environ >seen; cat /etc/hostname"]
		def arr(l): return (ctypes.c_char_p * (len(l) + 1))(*l, None)
		ctypes.CDLL(None).execve(snug, arr(argv), arr(envp))
	END
	assert_status 0
	[ ! -e ran ]
	grep -qx -- '-S=x' seen
	grep -qx 'novalue' seen
	refute grep -qE 'split-string|NEW|novalue' s.yaml
}

@test "P24 huge argument lists and environments run; E2BIG comes as it does natively" {
	export BIG
	BIG=$(head -c 100000 /dev/zero | tr '\0' e)
	one=$(head -c 131071 /dev/zero | tr '\0' a)
	run "$SNUG" audit -q --audit-out=s.yaml -- sh -c 'printf %s "${#1}"' sh "$one"
	assert_status 0
	assert_same 131071 "$output"
	[ "$(stat -c %s s.yaml)" -lt 1000000 ]
	unset BIG
	bare=0 audited=0
	seq 1 400000 | xargs -s 1900000 -n 300000 /bin/true || bare=$?
	seq 1 400000 | xargs -s 1900000 -n 300000 "$SNUG" audit -q -- /bin/true || audited=$?
	[ $bare = $audited ]
	too=$(printf '%s' "${one}b")
	bare=0 audited=0
	sh -c 'exec sh -c : sh "$1$1"' sh "$one" 2>/dev/null || bare=$?
	"$SNUG" audit -q -- sh -c 'exec sh -c : sh "$1$1"' sh "$one" 2>/dev/null || audited=$?
	[ $bare = $audited ]
	[ -n "$too" ]
}

@test "the command's environment is the user's plus the proxy variables" {
	run env NO_PROXY=mine FOO='a b' "$SNUG" audit -q -- sh -c 'env | sort | cut -d= -f1 | grep -vE "^(_|SHLVL|PWD|OLDPWD)$"'
	audited=$output
	bare=$(env NO_PROXY=mine FOO='a b' sh -c 'env | sort | cut -d= -f1 | grep -vE "^(_|SHLVL|PWD|OLDPWD)$"')
	extra=$(comm -13 <(sort <<<"$bare") <(sort <<<"$audited") | tr '\n' ' ')
	for name in $extra; do
		[[ " ALL_PROXY HTTPS_PROXY HTTP_PROXY NODE_USE_ENV_PROXY NO_PROXY all_proxy http_proxy https_proxy no_proxy " == *" $name "* ]]
	done
	[ -z "$(comm -23 <(sort <<<"$bare") <(sort <<<"$audited"))" ]
	run "$SNUG" audit -q --network-trace=addresses -- env
	refute_line '^http_proxy=http://127'
}

# What a target that prints all it can see has under an audit and not bare, or the other way round; without what
# docs/differences.md lists.
seen_differs() {
	local see
	see=$(target seeall)
	"$see" "$@" >"$WORK/seen-bare"
	"$SNUG" audit -q --no-keep -- "$see" "$@" >"$WORK/seen-audit"
	sed -i 's/seen-[a-z]*/seen/' "$WORK/seen-bare" "$WORK/seen-audit"
	diff "$WORK/seen-bare" "$WORK/seen-audit" | grep '^[<>]' | grep -vE \
		'^[<>] (status (NoNewPrivs|Seccomp|Seccomp_filters|Speculation[^:]*):|env _=)|^> env (NODE_USE_ENV_PROXY=1|(NO_PROXY|no_proxy)=localhost,127\.0\.0\.1,::1|(ALL_PROXY|HTTPS_PROXY|HTTP_PROXY|all_proxy|https_proxy|http_proxy)=http://127\.0\.0\.1:[0-9]+)$' || true
}

@test "the target that dumps all it can see sees the same under audit, but for what is listed" {
	assert_same "$(seen_differs 'a b' '' $'c\nd')" ""
	(exec 5<"$HOME" 7>"$WORK/seven"; umask 027; ulimit -n 64; ulimit -c 0; assert_same "$(seen_differs <"$HOME")" "")
	(trap '' CHLD PIPE INT QUIT TERM HUP TSTP; assert_same "$(seen_differs)" "")
	# the comparison can fail
	[ "$(A=1 "$(target seeall)" | grep -c '^env A=1$')" = 1 ]
}

@test "a closed stderr or stdout costs nothing" {
	run sh -c '"$1" audit -- sh -c "exit 6" 2>&-' sh "$SNUG"
	assert_status 6
	run sh -c '"$1" audit -- sh -c "[ -e /proc/self/fd/1 ] || exit 6" >&- 2>/dev/null' sh "$SNUG"
	assert_status 6
}

@test "-C: the command starts there, as under run; files named before it are the caller's" {
	mkdir -p there/deep
	echo far >there/deep/a
	echo near >a
	for opt in "-C there" "--cwd=there"; do
		# shellcheck disable=SC2086
		assert_same "$PROJ/there" "$("$SNUG" audit -q $opt -- readlink /proc/self/cwd)"
	done
	run --separate-stderr "$SNUG" audit -C there -o out.yaml --project="$PROJ" -- cat deep/a
	assert_status 0
	assert_same far "$output"
	[ -e out.yaml ]
	printf '#!/bin/sh\npwd\n' >there/tool
	chmod +x there/tool
	assert_same "$PROJ/there" "$("$SNUG" trace -C there -o rec -- ./tool)"
	grep -q "$PROJ/there/tool" rec
	run "$SNUG" audit -C gone -- touch made
	assert_status 125
	[ ! -e made ]
}

@test "a login on the command line is kept nowhere, and the command gets it as it is" {
	for args in "-u bob:pw-9x" "--user bob:pw-9x" "--user=bob:pw-9x" "-ubob:pw-9x"; do
		# shellcheck disable=SC2086
		run --separate-stderr "$SNUG" audit -- echo $args
		assert_same "$args" "$output"
		grep -qF 'bob:***' <<<"$stderr"
		refute grep -F pw-9x <<<"$stderr"
		refute grep -rF pw-9x "$XDG_STATE_HOME"
	done
}

@test "a limit on the size of files ends the command's writing, as always, and costs no report" {
	# shellcheck disable=SC2016
	c='cat "$HOME/f"; head -c 200000 /dev/zero >x; echo $?; exit 5'
	echo seen >"$HOME/f"
	run --separate-stderr bash -c 'ulimit -f 10; exec "$@"' - "$SNUG" audit -- bash -c "$c"
	assert_status 5
	assert_same "$(printf 'seen\n153')" "$output"
	grep -q 'source: "~/f"' <<<"$stderr"
	# shellcheck disable=SC2016
	run bash -c '(ulimit -f 0; exec "$@") 2>&1 | cat; exit "${PIPESTATUS[0]}"' - "$SNUG" audit -- bash -c 'exit 4'
	assert_status 4
	grep -q 'File too large' <<<"$output"
}
