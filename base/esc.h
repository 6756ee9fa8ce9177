/* esc.h - bytes as text and back: paths and names are bytes, files and terminals want text; pure */
#pragma once

#include "base/base.h"

#include <stdbool.h>
#include <stddef.h>

struct str;

/*
 * The documented reversible form (docs/formats): a backslash becomes "\\", and every byte that is not
 * part of well-formed UTF-8 becomes "\xHH". All else stands for itself. It is applied before JSON or
 * YAML quoting, so those hold valid UTF-8 only.
 */
void esc_bytes(struct str *out, const void *p, size_t len);

/* The inverse: "\\" and "\xHH" are undone, any other backslash stands for itself. */
void esc_undo(struct str *out, const char *text);

/* A double-quoted JSON string of esc_bytes(@s): control characters as \u00XX. */
void esc_json(struct str *out, const char *s);

/* A double-quoted YAML scalar of esc_bytes(@s); C0, DEL, C1, NEL, LS, PS, BOM and bidi controls escaped. */
void esc_yaml(struct str *out, const char *s);

/* A double-quoted YAML scalar of @s itself, for text that is no path: no esc_bytes() unless it is not UTF-8. */
void esc_yaml_text(struct str *out, const char *s);

/* For a terminal or a log line: as esc_bytes(), and control and bidi characters as \xHH / \u{HHHH}. */
void esc_term(struct str *out, const char *s);

/* A word a POSIX shell reads back as @s; left bare where that is safe. */
void esc_shell(struct str *out, const char *s);

/* Bytes of the well-formed UTF-8 sequence at @p (1-4), 0 if there is none; @cp gets the code point. */
size_t esc_utf8(const char *p, size_t len, unsigned *cp);
