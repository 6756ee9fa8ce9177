# tasks.bash - a task under a profile: audited, then confined

# task +PROFILE.. -- COMMAND..: audited clean, then confined; between the two, reset() puts the project back
# shellcheck disable=SC2154 # output is of bats
task() {
	local args=()
	while [ "$1" != -- ]; do
		args+=("$1")
		shift
	done
	shift
	reset
	run ${in:-} "$SNUG" audit "${args[@]}" --check -- "$@"
	echo "$output"
	assert_status 0
	assert_line '^snug: check: clean$'
	reset
	run ${in:-} "$SNUG" run "${args[@]}" -- "$@"
	echo "$output"
	assert_status 0
}
