# lib.bash - what every end-to-end test starts from: `load lib` at the top of a .bats file
#
# Given by tests/run.sh: SNUG (the binary), O (the build: $O/tests/targets/NAME), SRC (the sources).
# Each test gets, made anew:
#   $WORK   its directory            $HOME           $WORK/home, empty
#   $PROJ   the working directory    $XDG_STATE_HOME $WORK/state
# A file that wants more defines its own setup() and calls snug_setup first.

# started by hand: bats tests/e2e/x.bats
SRC=${SRC:-$(cd "$BATS_TEST_DIRNAME/../.." && pwd)}
O=${O:-$SRC/build/plain}
SNUG=${SNUG:-$O/snug}
export SRC O SNUG

snug_setup() {
	WORK=$(cd "$BATS_TEST_TMPDIR" && pwd -P)
	HOME=$WORK/home
	PROJ=$WORK/proj
	XDG_STATE_HOME=$WORK/state
	mkdir -p "$HOME" "$PROJ" "$XDG_STATE_HOME"
	export WORK HOME PROJ XDG_STATE_HOME
	# of this host: node and curl read the files they name, which is a need of its own
	unset NODE_EXTRA_CA_CERTS SSL_CERT_FILE
	unset TMPDIR XDG_CONFIG_HOME XDG_CACHE_HOME XDG_DATA_HOME XDG_RUNTIME_DIR
	cd "$PROJ" || return 1
}
setup() { snug_setup; }

# snug_tmp NAME: another directory of this test, printed
snug_tmp() {
	mkdir -p "$WORK/$1" && echo "$WORK/$1"
}

# skip_unless REASON COMMAND..: skip the test, saying why, unless COMMAND succeeds
skip_unless() {
	local reason=$1
	shift
	"$@" >/dev/null 2>&1 </dev/null || skip "$reason"
}
need() { # need PROGRAM..: skip unless all are installed
	local p
	for p in "$@"; do
		command -v "$p" >/dev/null 2>&1 || skip "no $p here"
	done
}
is_root() { [ "$(id -u)" = 0 ]; }

# target NAME: path of a test target
target() { echo "$O/tests/targets/$1"; }

# ---- assertions: each says what it saw -----------------------------------------------------------
fail() {
	echo "$*" >&2
	return 1
}
# refute COMMAND..: it must fail. A bare `! command` counts for nothing but as a test's last line.
refute() {
	! "$@" || fail "succeeded, and must not: $*"
}
# after `run`: assert_status N
assert_status() {
	[ "$status" = "$1" ] || { echo "status $status, wanted $1; output:" >&2; echo "$output" >&2; return 1; }
}
# assert_out TEXT / refute_out TEXT: $output holds (does not hold) the bytes of TEXT
assert_out() {
	[[ $output == *"$1"* ]] || { echo "no '$1' in:" >&2; echo "$output" >&2; return 1; }
}
refute_out() {
	[[ $output != *"$1"* ]] || { echo "unwanted '$1' in:" >&2; echo "$output" >&2; return 1; }
}
# assert_line REGEX / refute_line REGEX: a line of $output matches the extended expression
assert_line() {
	grep -qE -- "$1" <<<"$output" || { echo "no line like '$1' in:" >&2; echo "$output" >&2; return 1; }
}
refute_line() {
	! grep -qE -- "$1" <<<"$output" || { echo "unwanted line like '$1' in:" >&2; echo "$output" >&2; return 1; }
}
assert_same() { # assert_same A B: equal strings
	[ "$1" = "$2" ] || { echo "differ:" >&2; diff <(echo "$1") <(echo "$2") >&2; return 1; }
}
assert_same_tree() { # assert_same_tree DIR DIR: names, types, modes, contents, links
	diff <(tree_of "$1") <(tree_of "$2") >&2
}
tree_of() {
	(cd "$1" && find . -printf '%P %y %m %l\n' | LC_ALL=C sort &&
		find . -type f -print0 | LC_ALL=C sort -z | xargs -0r sha256sum)
}

# ---- the audit's results -------------------------------------------------------------------------
last_run() { readlink -f "$XDG_STATE_HOME/snug/runs/last"; }
suggested() { echo "$(last_run)/suggested.yaml"; }
# json_report FILE: `snug report` of the last run as JSON, into FILE
json_report() { "$SNUG" report --format=json last >"$1"; }

# paste_next: the printed next command of $output, run as it would be when pasted
paste_next() {
	local line
	line=$(sed -n 's/^snug: next: snug //p' <<<"$output")
	[ -n "$line" ] || fail "no next command"
	run bash -c "\"\$SNUG\" $line"
}
