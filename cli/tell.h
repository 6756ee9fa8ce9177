/* tell.h - what audit, report, learn share after a lesson is made: next command, report text, check line */
#pragma once

#include "cli/opts.h"
#include "report/view.h"

struct str;

/**
 * tell_next() - the command line to paste: snug +node --profile FILE -- npm install
 * @again: profiles and grants as typed
 * @file:  of the suggestion, a shell word (see tell_path()), or NULL where nothing is suggested
 * @argv:  @argc words of the command
 * Return: in @a; NULL when memory is out, or where no command line would do: a word of the command is not known.
 */
const char *tell_next(struct arena *a, const struct wordlist *again, const struct lesson *l, const struct host *h,
                      const char *file, const char *const *argv, size_t argc);

/* @path as a shell word, with ~/ in front where it is below @home. */
const char *tell_path(struct arena *a, const char *path, const char *home);

/* A name for the suggested profile: the stem of @file, else the program's name. */
const char *tell_name(struct arena *a, const char *file, const char *program);

/* The report in the form asked for. @rows: 0 is all. */
int tell_report(struct str *out, const struct report *r, bool json, int fd, size_t rows, char *const *envp,
                struct err *e) MUST;

/* The last line of --check, with its newline. */
void tell_check(struct str *out, const struct report *r, int code);

/* Exit code of the command under --check. */
int tell_check_code(const struct report *r);
