/* json.h - a report for machines, schema snug-report/v1 (docs/formats/report.md); pure */
#pragma once

#include "report/view.h"

struct str;

/* Append one JSON document and a newline. Return: 0; -ENOMEM. */
int json_write(struct str *out, const struct report *r, struct err *e) MUST;

/* The document of an audit that could not be made: outcome snug-failed and the message. */
void json_failed(struct str *out, char *const *command, const char *message);
