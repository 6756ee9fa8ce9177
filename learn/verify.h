/* verify.h - the suggestion put to the judge: what it claims to grant must be granted; pure */
#pragma once

#include "learn/suggest.h"

/**
 * verify() - judge a run again under the requested profiles and the suggestion together
 *
 * A need whose line does not help loses its grant and gets a note with the errno; so a report never promises what
 * the engine would refuse. Return: 0; -ENOMEM.
 */
int verify(struct suggesting *s, const struct recording *r);

/* Each need that counts is granted or has a note: adds one where learning found no line. -ENOMEM. */
int verify_said(struct suggesting *s);
