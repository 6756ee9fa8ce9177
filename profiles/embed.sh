#!/bin/sh
# embed.sh FILE.yaml.. - print a C source that holds the built-in profiles as bytes
set -eu
printf '/* made by profiles/embed.sh */\n#include "profiles/builtin.h"\n\n'
for f in "$@"; do
	n=$(basename "$f" .yaml | tr -c 'a-z0-9\n' _)
	printf 'static const char text_%s[] =\n' "$n"
	sed 's/[\\"]/\\&/g; s/^/\t"/; s/$/\\n"/' "$f"
	printf '\t;\n'
done
printf '\nconst struct builtin builtins[] = {\n'
for f in "$@"; do
	b=$(basename "$f" .yaml)
	n=$(printf '%s\n' "$b" | tr -c 'a-z0-9\n' _)
	printf '\t{ "%s", text_%s, sizeof(text_%s) - 1 },\n' "$b" "$n" "$n"
done
printf '\t{ 0 },\n};\n'
