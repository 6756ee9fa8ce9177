#!/usr/bin/env bats
# flagship.bats - a real npm install, audited, then confined with exactly what was learnt
load lib
load ../flagship/net

GRANT=--allow-net=packages.example.org

setup() {
	need node npm curl python3
	snug_setup
	net_start
}
teardown() { net_stop; }

# a user's machine: project with the dependency $2 in $WORK/$1
machine() {
	export HOME=$WORK/$1/home PROJ=$WORK/$1/proj ACME_CHANNEL=beta
	rm -rf "${WORK:?}/$1"
	mkdir -p "$HOME/.config/acme" "$HOME/.local/share/acme" "$PROJ"
	echo '{"flavour": "mint"}' >"$HOME/.config/acme/settings.json"
	echo 'first' >"$HOME/.local/share/acme/installs.log"
	echo 'fund=false' >"$HOME/.npmrc"
	echo 'registry=http://packages.example.org/' >"$PROJ/.npmrc"
	echo "{\"name\":\"app\",\"version\":\"1.0.0\",\"dependencies\":{\"acme-plain\":\"^1.0.0\"${2:+,\"$2\":\"*\"}}}" >"$PROJ/package.json"
	cd "$PROJ" || return 1
}

# rows of the JSON report that are findings: "kind what verdict necessity | who"
findings() {
	"$SNUG" report +node $GRANT --format=json last | python3 -c '
import json, sys
for f in json.load(sys.stdin)["findings"]:
    if f["finding"]:
        print(f["kind"], f["what"], f["verdict"], f["necessity"], "|", f.get("who", ""))' | LC_ALL=C sort
}

@test "flagship: the audit names exactly what lay outside, with package and script" {
	machine one acme-native
	run in_net "$SNUG" audit +node $GRANT -- npm install
	assert_status 0
	assert_out 'acme-native@2.1.0 install'
	run findings
	echo "$output"
	assert_line '^read ~/\.config/acme/settings\.json missing required \| acme-native@2\.1\.0 install'
	assert_line '^(write|create) ~/\.local/share/acme/installs\.log missing required \| acme-native@2\.1\.0 install'
	assert_line '^host files\.example\.net:80 missing required \| acme-native@2\.1\.0 install'
	assert_line '^(variable|env) ACME_CHANNEL missing unknown \| acme-native@2\.1\.0 install'
	assert_line '^read ~/\.npmrc missing required \| node npm install'
	[ "${#lines[@]}" = 5 ]
	refute_out packages.example.org
}

@test "flagship: two audits give identical bytes" {
	mkdir "$WORK/a" "$WORK/b"
	machine one acme-native
	in_net "$SNUG" audit +node $GRANT --audit-out="$WORK/a/learnt.yaml" --report="$WORK/a.txt" -- npm install
	"$SNUG" report +node $GRANT --format=json last >"$WORK/a.json"
	machine one acme-native
	in_net "$SNUG" audit +node $GRANT --audit-out="$WORK/b/learnt.yaml" --report="$WORK/b.txt" -- npm install
	"$SNUG" report +node $GRANT --format=json last >"$WORK/b.json"
	cmp "$WORK/a/learnt.yaml" "$WORK/b/learnt.yaml"
	# malloc asks for the number of processors only where threads happen to collide
	for x in a b; do
		python3 - "$WORK/$x.json" <<-'END' >"$WORK/$x.rows"
			import json, sys
			got = json.load(open(sys.argv[1]))
			for f in got["findings"]:
			    if f["finding"] or not f["what"].startswith("/sys/devices/system/cpu"):
			        print(json.dumps(f))
			print(got["suggestion"]["yaml"])
		END
	done
	diff "$WORK/a.rows" "$WORK/b.rows"
	diff <(sed 's|/a/|/X/|; s/[0-9]* tried/N tried/' "$WORK/a.txt") <(sed 's|/b/|/X/|; s/[0-9]* tried/N tried/' "$WORK/b.txt")
}

@test "flagship: the printed next command works confined and gives the same tree; without it it fails" {
	machine one acme-native
	in_net "$SNUG" audit +node $GRANT -- npm install 2>"$WORK/printed"
	cp "$(suggested)" "$WORK/suggested.yaml"
	"$SNUG" profile validate "$WORK/suggested.yaml"
	next=$(sed -n 's/^snug: next: //p' "$WORK/printed")
	echo "next: $next"
	[ -n "$next" ]
	mv "$PROJ/node_modules" "$WORK/audited"
	rm -f "$PROJ/package-lock.json"
	cp "$HOME/.local/share/acme/installs.log" "$WORK/installs.log"

	# without the suggestion the install script fails
	run in_net "$SNUG" +node $GRANT -- npm install
	echo "$output"
	[ "$status" != 0 ]
	rm -rf "$PROJ/node_modules" "$PROJ/package-lock.json"

	mkdir "$WORK/bin"
	ln -s "$SNUG" "$WORK/bin/snug"
	in_net env PATH="$WORK/bin:$PATH" sh -c "$next"
	assert_same_tree "$WORK/audited" "$PROJ/node_modules"
	# it writes outside once more: two lines now
	[ "$(grep -c 'installed mint' "$HOME/.local/share/acme/installs.log")" = 2 ]
}

@test "flagship: --verify proves the suggestion: it installs confined, without it it does not, and home is as the audit left it" {
	machine one acme-native
	run in_net "$SNUG" audit +node $GRANT --verify -- npm install
	assert_status 0
	assert_out 'snug: verified: confined, it ended the same, was denied nothing and left the same files; without this, it ended with 1 instead of 0'
	grep -q '^# verified: ' "$(suggested)"
	[ "$(grep -c 'installed mint' "$HOME/.local/share/acme/installs.log")" = 1 ]
}

@test "flagship: another user's copy of the project works with the suggestion" {
	machine one acme-native
	in_net "$SNUG" audit +node $GRANT --audit-out="$WORK/s.yaml" -- npm install
	mv "$PROJ/node_modules" "$WORK/audited"
	machine two acme-native
	in_net "$SNUG" run +node $GRANT --profile "$WORK/s.yaml" -- npm install
	assert_same_tree "$WORK/audited" "$PROJ/node_modules"
	grep -q 'installed mint' "$HOME/.local/share/acme/installs.log"
}

# locked MACHINE USER: that user's machine, the dependencies locked as everywhere, nothing installed
locked() {
	machine "$1" acme-native
	export USER=$2 LOGNAME=$2 XDG_STATE_HOME=$WORK/$1/state
	cp "$WORK/package-lock.json" .
}

@test "flagship: npm ci learnt on one machine works confined on another user's, and fails on a third without the suggestion" {
	machine lock acme-native
	in_net npm install --ignore-scripts --package-lock-only --no-audit --no-fund >/dev/null
	cp package-lock.json "$WORK"

	locked one alice
	in_net "$SNUG" audit +node $GRANT --audit-out="$WORK/s.yaml" -- npm ci
	mv "$PROJ/node_modules" "$WORK/audited"
	[ -e "$WORK/audited/acme-native/build/blob" ]
	run grep -E "alice|$WORK" "$WORK/s.yaml"
	assert_status 1

	locked two bob
	in_net "$SNUG" run +node $GRANT --profile "$WORK/s.yaml" -- npm ci
	assert_same_tree "$WORK/audited" "$PROJ/node_modules"
	grep -q 'installed mint' "$HOME/.local/share/acme/installs.log"
	cmp package-lock.json "$WORK/package-lock.json"

	locked three carol
	run in_net "$SNUG" run +node $GRANT -- npm ci
	echo "$output"
	[ "$status" = 1 ]
	assert_out 'acme-native'
	[ ! -e node_modules/acme-native/build/blob ]
	assert_same first "$(cat "$HOME/.local/share/acme/installs.log")"
}

@test "flagship: twenty checks of an unchanged npm ci give twenty times 0" {
	machine one
	rm "$HOME/.npmrc"
	in_net npm install
	local i
	for i in {1..20}; do
		run in_net "$SNUG" audit +node $GRANT --check -- npm ci
		[ "$status" = 0 ] || { echo "$i"; assert_status 0; }
	done
}

@test "flagship: a plain project has no finding and at most 6 lines" {
	machine one
	rm "$HOME/.npmrc"
	in_net "$SNUG" audit +node $GRANT --check -- npm install 2>"$WORK/err"
	grep '^snug' "$WORK/err" >"$WORK/report"
	cat "$WORK/report"
	[ "$(wc -l <"$WORK/report")" -le 6 ]
	assert_same "$(tail -1 "$WORK/err")" 'snug: check: clean'
	run findings
	[ -z "$output" ]
}

@test "flagship: a plain project works confined, checked again and again it stays clean" {
	machine one
	rm "$HOME/.npmrc"
	in_net "$SNUG" +node $GRANT -- npm install
	[ -e node_modules/acme-words/index.js ]
	local i
	for i in 1 2 3 4 5 6 7 8 9 10; do
		in_net "$SNUG" audit +node $GRANT --check -q -- npm ci
	done
}

@test "flagship: a client that ignores the proxy variables is listed by address, marked" {
	machine one acme-direct
	run in_net "$SNUG" audit +node $GRANT -- npm install
	assert_status 0
	assert_out '192.0.2.30:80'
	assert_out 'did not use the proxy'
	run findings
	assert_line '^host 192\.0\.2\.30:80 missing unknown \| acme-direct@0\.3\.0 postinstall'
}

@test "flagship: a host listed while a requested profile says no network is one finding" {
	machine one
	rm "$HOME/.npmrc"
	in_net "$SNUG" audit +node +untrusted --report="$WORK/report" -- npm install
	cat "$WORK/report"
	grep -q -- '--network proxy' "$WORK/report"
}
