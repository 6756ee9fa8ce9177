# roundtrip.bash - learn in one copy, run confined in another one with another home and user name
#
# A case is two functions and a call:
#   fixture() fills $HOME and $PROJ (called once for each copy, with the same result each time);
#   roundtrip [options] -- COMMAND.. does the rest.
# Options: +profile, --flags for audit and run;  @differs=REGEX files whose contents may differ (keys, dates);
#   @credentials un-comments the suggested credential lines, after checking that the loss was announced;
#   @none: nothing may be suggested.

# decoys: files that no suggestion may expose wholesale
rt_decoys() {
	local i
	mkdir -p "$HOME"/{Documents,Downloads,.ssh,.aws,.config/other,.local/share/other,.cache/other,src/big}
	for ((i = 0; i < 60; i++)); do
		echo "doc $i" >"$HOME/Documents/doc$i.txt"
		echo "$i" >"$HOME/.config/other/o$i.conf"
		echo "$i" >"$HOME/.local/share/other/s$i"
		echo "$i" >"$HOME/src/big/b$i.c"
	done
	echo 'export PS1=x' >"$HOME/.bashrc"
	echo host-key >"$HOME/.ssh/known_hosts"
	echo secret >"$HOME/.aws/credentials"
	chmod 700 "$HOME/.ssh" "$HOME/.aws"
	chmod 600 "$HOME/.aws/credentials"
}

rt_copy() { # rt_copy NAME: another user's machine
	export HOME=$WORK/$1/people/$1 PROJ=$WORK/$1/work/project USER=$1 LOGNAME=$1
	export XDG_STATE_HOME=$WORK/$1/state
	mkdir -p "$HOME" "$PROJ" "$XDG_STATE_HOME"
	cd "$PROJ" || return 1
	rt_decoys
	fixture
}

# What a copy looks like now, without its own path.
rt_state() { python3 "$SRC/tests/e2e/state.py" "$WORK/$1" "$rt_differs"; }
rt_text() { sed "s|$WORK/[a-z]*/people/[a-z]*|HOME|g; s|$WORK/[a-z]*/work|WORK|g"; }

roundtrip() {
	local args=() rt_differs='' credentials=no none=no
	while [ "$1" != -- ]; do
		case $1 in
		@differs=*) rt_differs=${1#*=} ;;
		@credentials) credentials=yes ;;
		@none) none=yes ;;
		*) args+=("$1") ;;
		esac
		shift
	done
	shift
	rt_cmd=("$@")
	local out=$WORK/learnt.yaml rc learnt_out learnt_state

	rt_copy alice
	find "$HOME" "$PROJ" -type f | LC_ALL=C sort >"$WORK/before"
	rc=0
	${rt_in:-} "$SNUG" audit "${args[@]}" -- "$@" >"$WORK/out1" 2>"$WORK/report1" </dev/null || rc=$?
	cat "$WORK/report1"
	[ $rc = 0 ] || fail "the audited command ended with $rc"
	learnt_out=$(rt_text <"$WORK/out1")
	learnt_state=$(rt_state alice)
	rm -f "$out"
	[ ! -e "$(suggested)" ] || cp "$(suggested)" "$out"
	if [ -e "$out" ]; then
		cat "$out"
		[ $none = no ] || fail "something was suggested"
		"$SNUG" profile validate "$out" || fail "the suggestion does not load"
		! grep -qE "alice|$WORK|[0-9]{4}-[0-9]{2}-[0-9]{2}" "$out" || fail "the suggestion names this machine"
		rt_width "$out"
	fi
	if [ $credentials = yes ]; then
		[ -e "$out" ] || fail "no suggestion for a credential store"
		rt_confined bob
		[ "$rt_rc" != 0 ] || [ "$rt_now" != "$learnt_state" ] || fail "worked without the credential lines"
		grep -q 'a commented line, for you to decide' "$WORK/report1" || fail "the row does not say that its line is a comment"
		grep -Eq '^snug: left out of that: [1-9]' "$WORK/report1" || fail "what is lost without the comments was not announced"
		uncomment "$out"
		"$SNUG" profile validate "$out" || fail "does not load with the credential lines"
	fi
	rt_confined carol
	[ "$rt_rc" = 0 ] || fail "confined with what was learnt: status $rt_rc"
	assert_same "$learnt_out" "$rt_out"
	assert_same "$learnt_state" "$rt_now" || {
		diff -r "$WORK/alice/people/alice" "$WORK/carol/people/carol" | head -40
		false
	}
	if [ -e "$out" ]; then
		mv "$out" "$out.aside"
		rt_confined dave
		[ "$rt_rc" != 0 ] || [ "$rt_now" != "$learnt_state" ] || [ "$rt_out" != "$learnt_out" ] ||
			fail "the same without the suggestion: it suggested too much"
		mv "$out.aside" "$out"
	fi
}

# rt_confined NAME: sets rt_rc, rt_out, rt_now; uses args, out, "$@" of roundtrip by name
rt_confined() {
	local name=$1 with=()
	[ ! -e "$out" ] || with=(--profile "$out")
	rt_copy "$name"
	rt_rc=0
	${rt_in:-} "$SNUG" run "${args[@]}" "${with[@]}" -- "${rt_cmd[@]}" >"$WORK/out2" 2>"$WORK/err2" </dev/null || rt_rc=$?
	sed "s/^/$name: /" "$WORK/err2"
	rt_out=$(rt_text <"$WORK/out2")
	rt_now=$(rt_state "$name")
}

# rt_width PROFILE: no directory with more than 50 existing files that the run did not use; in home none
# wider than a child of a dot-directory
rt_width() {
	python3 "$SRC/tests/e2e/width.py" "$1" "$HOME" "$PROJ" "$WORK/before" "$(last_run)"
}

# uncomment FILE: the suggested lines that are commented because they are credentials
uncomment() {
	sed -i -E 's/^( *)# ( *- \{ *source:.*|binds:)$/\1\2/' "$1"
}
