#!/bin/bash
# lint.sh - clang-tidy, cppcheck, shellcheck, and the sizes of files and functions (told, not failed)
#
# usage: tests/lint.sh            all; JOBS=N at a time
#        tests/lint.sh FILE.c..   only these sources
#
# A source that was found clean leaves a stamp below $O/lint, and is passed over until something that it
# includes, the checks or the tools change.
set -u
cd "$(dirname "$0")/.." || exit 1
O=${O:-build/plain}
export O
dirs='base profiles enforce trace learn report cli'
flags=(-std=gnu17 -D_GNU_SOURCE '-DSNUG_VERSION="lint"' -I. "-I$O")

# missingIncludeSystem: system headers are not parsed
# unknownMacro: attributes that it does not know
# constParameterCallback: callbacks share one signature
# memleak: ownership that moves into a struct is not followed
# uninitvar, ctuuninitvar: arrays that are filled by index, buffers that a system call fills
# internalAstError: GNU's "a ?: b"
# arrayIndexThenCheck: the array ends with NULL, the second condition is another limit
# shiftNegativeLHS: a digit was checked before
cppcheck=(--quiet --std=c11 --enable=warning --enable=performance --enable=portability --inline-suppr --error-exitcode=1
	--suppress=missingIncludeSystem --suppress=unknownMacro --suppress=constParameterCallback --suppress=memleak
	--suppress=uninitvar --suppress=ctuuninitvar --suppress=internalAstError --suppress=arrayIndexThenCheck
	--suppress=shiftNegativeLHS -D__linux__ -D__x86_64__ -D_GNU_SOURCE '-DSNUG_VERSION="lint"' -I.)

# One source: nothing is printed when it is clean.
one() {
	local file=$1 stamp=$O/lint/$1.stamp key out bad=0
	key=$({ echo "$versions"; cat .clang-tidy tests/lint.sh; gcc -MM -MG "${flags[@]}" "$file" | tr ' ' '\n' |
		grep -E '[.](c|h|def)$' | sort -u | xargs cat 2>/dev/null; } | sha256sum)
	[ "$(cat "$stamp" 2>/dev/null)" != "$key" ] || return 0
	mkdir -p "${stamp%/*}"
	# on stderr it counts what it suppressed in system headers
	out=$(clang-tidy --quiet "$file" -- "${flags[@]}" 2>"$stamp.err") || bad=1
	[ $bad = 0 ] || { echo "$out"; grep 'error:' "$stamp.err"; }
	rm -f "$stamp.err"
	cppcheck "${cppcheck[@]}" "$file" 2>&1 || bad=1
	[ $bad = 0 ] && echo "$key" >"$stamp"
	return $bad
}
if [ "${1:-}" = --one ]; then
	one "$2"
	exit
fi

bad=0
versions=$(clang-tidy --version; cppcheck --version; gcc --version)
export versions
if [ $# -gt 0 ]; then
	sources=("$@")
else
	# shellcheck disable=SC2086 # a list of words
	mapfile -t sources < <(find $dirs -name '*.c' | sort)
fi
echo "== clang-tidy (.clang-tidy) and cppcheck: ${#sources[@]} files"
printf '%s\0' "${sources[@]}" | xargs -0 -P "${JOBS:-$(nproc)}" -n 1 bash tests/lint.sh --one || bad=1
[ $# = 0 ] || exit $bad

echo '== shellcheck'
# SC1090, SC1091: sourced files are found at run time
# SC2013: words, not lines, are wanted from grep
# SC2015: `a && b || c` where b cannot fail
# SC2030, SC2031, SC2164: bats runs each test in a subshell of its own, and `cd` fails the test there
# SC2034, SC2154: bats sets status, output, lines; the counter of a loop is not always read
# SC2016: programs given to sh -c, awk and node in single quotes
shell=SC1090,SC1091,SC2013,SC2015,SC2016,SC2030,SC2031,SC2034,SC2154,SC2164
# SC2086, SC2088, SC2209, SC2317: a test's words have no blanks, it compares with a literal ~, and bats calls its functions
bats=$shell,SC2012,SC2035,SC2086,SC2088,SC2143,SC2209,SC2238,SC2317
mapfile -t scripts < <(find tests bench profiles cli .ci -name '*.sh' -o -name '*.bash' -o -path '.ci/run' | sort)
shellcheck -s bash -e $shell "${scripts[@]}" || bad=1
printf '%s\0' tests/e2e/*.bats | xargs -0 -P "${JOBS:-$(nproc)}" -n 4 shellcheck -s bats -e $bats || bad=1

echo '== size (a hint: 400 lines a file, 60 a function)'
# shellcheck disable=SC2086
find $dirs -name '*.[ch]' -exec wc -l {} + | awk '$1 > 400 && $2 != "total" { print "  " $2 ": " $1 " lines" }'
# shellcheck disable=SC2086
find $dirs -name '*.c' -exec awk '
	/^[a-z].*\)$/ || /^[a-z].*\) *\{$/ { name = $0; at = FNR }
	/^}/ { if (at && FNR - at > 60) printf "  %s:%d: %d lines: %s\n", FILENAME, at, FNR - at, name; at = 0 }' {} +

exit $bad
