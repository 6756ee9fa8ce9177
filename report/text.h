/* text.h - a report for people; pure */
#pragma once

#include "report/term.h"
#include "report/view.h"

struct str;

/* Rows an audit shows before it says "N more". */
enum { TEXT_ROWS = 25 };

/**
 * text_write() - append the report to @out; findings that one line would grant share a row
 * @max_rows: of them; headings that are no findings are then only counted. 0: all rows under all headings
 *
 * Bytes that could steer a terminal are escaped. Return: 0; -ENOMEM.
 */
int text_write(struct str *out, const struct report *r, const struct term *t, size_t max_rows, struct err *e) MUST;
