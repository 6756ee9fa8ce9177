#!/usr/bin/env bats
# house.bats - the test environment itself
load lib

@test "each test has its own home, project and state" {
	[ "$(pwd -P)" = "$PROJ" ]
	[ -z "$(ls -A "$HOME")" ]
	[ -w "$XDG_STATE_HOME" ]
	[ -x "$SNUG" ]
}

@test "a helper that compares trees sees a changed mode" {
	a=$(snug_tmp a)
	b=$(snug_tmp b)
	echo x >"$a/f"
	echo x >"$b/f"
	assert_same_tree "$a" "$b"
	chmod 600 "$b/f"
	run assert_same_tree "$a" "$b"
	[ "$status" != 0 ]
}

@test "every option of --help-all is described in a manual page, and every verb" {
	local page="$SRC/docs/man/snug.1 $SRC/docs/man/snug-audit.1" word
	cat $page | sed 's/\\-/-/g' >pages
	for word in $("$SNUG" --help-all | grep -oE '(^| )--?[a-zA-Z][a-z-]*' | sort -u); do
		grep -qF -e "$word" pages || fail "no manual page names $word"
	done
	for word in $("$SNUG" --help | sed -n '/^Verbs:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
		grep -qE "^\.(B|BI|BR|SS|TP).*\b$word\b" pages || fail "no manual page names the verb $word"
		"$SNUG" "$word" --help >/dev/null
	done
}

@test "the installed completion is what the option table gives" {
	"$SNUG" --completion=bash >made
	diff made "$SRC/cli/completion/snug.bash"
}

@test "what is refused as not available is on the list of gaps, and only that" {
	sed -n '/_later\[\] = {/,/^};/p' "$SRC/cli/optdefs.c" "$SRC/cli/verbs.c" | grep -oE '\{ "[^"]*"' | cut -d'"' -f2 >refused
	grep -q . refused
	while read -r word; do
		run "$SNUG" "$word"
		assert_status 125
		grep -qF -e "\`$word\`" "$SRC/docs/gaps.md" || fail "gaps.md does not name $word"
	done <refused
	sed -n '/^## Not in this version/,$s/`/\n`/gp' "$SRC/docs/gaps.md" | sed -n 's/^`\([a-z-][^`]*\).*/\1/p' >named
	while read -r word; do
		grep -qxF -e "$word" refused || fail "gaps.md names $word, which is not refused"
	done <named
}
