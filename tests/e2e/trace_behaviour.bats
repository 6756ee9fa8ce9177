#!/usr/bin/env bats
# trace_behaviour.bats - shell and coreutils behave the same bare and audited, on a few hundred calls
load lib

@test "a few hundred calls of dash and coreutils: same output, same status" {
	mkdir -p "$WORK/bare/in" "$WORK/audited/in"
	(cd "$WORK/bare/in" && sh "$SRC/tests/e2e/behaviour.sh" >"$WORK/bare.txt" 2>&1 </dev/null)
	(cd "$WORK/audited/in" && "$O/tests/tools/rec" -o "$WORK/events" sh "$SRC/tests/e2e/behaviour.sh" >"$WORK/audited.txt" 2>&1 </dev/null)
	sed -i "s|$WORK/bare|DIR|g; s|^sh: [0-9]*:|sh:|" "$WORK/bare.txt"
	sed -i "s|$WORK/audited|DIR|g; s|^sh: [0-9]*:|sh:|" "$WORK/audited.txt"
	[ "$(grep -c '^= ' "$WORK/bare.txt")" -gt 350 ]
	diff "$WORK/bare.txt" "$WORK/audited.txt"
	assert_same_tree "$WORK/bare" "$WORK/audited"
	output=$(cat "$WORK/events")
	refute_line '^incomplete'
	# and with all that an audit is besides its recorder
	mkdir -p "$WORK/product/in"
	(cd "$WORK/product/in" && "$SNUG" audit -q -- sh "$SRC/tests/e2e/behaviour.sh" >"$WORK/product.txt" 2>&1 </dev/null)
	sed -i "s|$WORK/product|DIR|g; s|^sh: [0-9]*:|sh:|" "$WORK/product.txt"
	diff "$WORK/bare.txt" "$WORK/product.txt"
	assert_same_tree "$WORK/bare" "$WORK/product"
	run "$SNUG" report last
	refute_line incomplete
}
