#!/bin/bash
# lint.sh - clang-tidy, cppcheck, shellcheck, and the sizes of files and functions (told, not failed)
set -u
cd "$(dirname "$0")/.." || exit 1
O=${O:-build/plain}
dirs='base profiles enforce trace learn report cli'
bad=0
flags=(-std=gnu17 -D_GNU_SOURCE '-DSNUG_VERSION="lint"' -I. "-I$O")

echo '== clang-tidy (.clang-tidy)'
# shellcheck disable=SC2086 # a list of words
find $dirs -name '*.c' -print0 | sort -z |
	xargs -0 -P "${JOBS:-2}" -n 4 sh -c 'clang-tidy --quiet "$@" -- '"$(printf '%q ' "${flags[@]}")"' 2>/dev/null' sh |
	grep -v '^$' && bad=1

echo '== cppcheck'
# missingIncludeSystem:  system headers are not parsed
# unusedFunction is not asked for: it would need the whole program
# normalCheckLevelMaxBranches: a note about effort
# constParameterCallback: callbacks share one signature
# memleak: ownership that moves into a struct is not followed
# uninitvar, ctuuninitvar: arrays that are filled by index, buffers that a system call fills
# internalAstError: GNU's "a ?: b"
# arrayIndexThenCheck: the array ends with NULL, the second condition is another limit
# shiftNegativeLHS: a digit was checked before
# shellcheck disable=SC2086
cppcheck --quiet --std=c11 --enable=warning,performance,portability --inline-suppr \
	--error-exitcode=1 --suppress=missingIncludeSystem --suppress=unknownMacro \
	--suppress=constParameterCallback --suppress=memleak --suppress=uninitvar --suppress=ctuuninitvar \
	--suppress=internalAstError --suppress=arrayIndexThenCheck --suppress=shiftNegativeLHS -D_GNU_SOURCE -D__linux__ -D__x86_64__ \
	-DSNUG_VERSION='"lint"' -I. $dirs || bad=1

echo '== shellcheck'
# SC1090, SC1091: sourced files are found at run time
# SC2013: words, not lines, are wanted from grep
# SC2015: `a && b || c` where b cannot fail
# SC2030, SC2031, SC2164: bats runs each test in a subshell of its own, and `cd` fails the test there
# SC2154: bats sets status, output, lines
# SC2016: programs given to sh -c, awk and node in single quotes
mapfile -t scripts < <(find tests bench profiles cli .ci -name '*.sh' -o -name '*.bash' -o -path '.ci/run' | sort)
shellcheck -s bash -e SC1090,SC1091,SC2013,SC2015,SC2016,SC2030,SC2031,SC2154,SC2164 "${scripts[@]}" || bad=1

echo '== size (a hint: 400 lines a file, 60 a function)'
# shellcheck disable=SC2086
find $dirs -name '*.[ch]' -exec wc -l {} + | awk '$1 > 400 && $2 != "total" { print "  " $2 ": " $1 " lines" }'
# shellcheck disable=SC2086
find $dirs -name '*.c' -exec awk '
	/^[a-z].*\)$/ || /^[a-z].*\) *\{$/ { name = $0; at = FNR }
	/^}/ { if (at && FNR - at > 60) printf "  %s:%d: %d lines: %s\n", FILENAME, at, FNR - at, name; at = 0 }' {} +

exit $bad
