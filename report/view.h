/* view.h - a lesson in display order, and what both forms of a report say besides; pure */
#pragma once

#include "learn/lesson.h"
#include "profiles/risk.h"

/* How an audit ended, in the order in which one hides the other. */
enum outcome {
	OUTCOME_SNUG_FAILED, OUTCOME_TIMEOUT, OUTCOME_COMMAND_FAILED, OUTCOME_FINDINGS, OUTCOME_INCOMPLETE, OUTCOME_CLEAN
};

/**
 * struct proof - how --verify went; zero: nobody asked
 * @holds:   confined, the command ended the same and left the same behind, and without the suggestion it did not
 * @reason:  why it does not hold, or could not be tried; NULL where it holds
 * @without: how it went without the suggestion; NULL where there was none, or where it does not hold
 * @runs:    confined runs that were made
 * @minimised: --minimise left @kept of @lines suggested ones; @min_done: none of those can be left out
 */
struct proof {
	bool asked, holds;
	const char *reason, *without;
	unsigned runs, lines, kept;
	bool minimised, min_done;
};

/* One line about it, without an end, for people and for the head of the suggestion; a second one about minimising. */
struct str;
void proof_text(struct str *out, const struct proof *p);
void proof_min_text(struct str *out, const struct proof *p);

/**
 * struct report - what is told
 * @recs:       the recordings the lesson was made from; the first one's host shortens paths
 * @pol:        the policy it was judged under
 * @timed_out:  --timeout ended the command
 * @check_all:  findings are counted as --check=all does
 * @network_only: the question was which hosts: granted ones are listed too
 * @suggestion: how to name the suggested profile's file to the user, or NULL
 * @next:       the command line to paste next, or NULL
 * @no_next:    why there is none and what to do instead, a sentence, or NULL
 * @hint:       a profile that was not asked for and would grant @hint_covers of the findings, or NULL
 * @proof:      how --verify went
 * @shadow:     of an audit in a shadow: a JSON object for machines, or NULL
 * @more:       where the rest stands, "snug report last", or NULL where nothing was kept
 */
struct report {
	const struct lesson *lesson;
	struct recording *const *recs;
	size_t nrecs;
	const struct policy *pol;
	bool timed_out, check_all, show_granted, network_only;
	const char *suggestion, *next, *no_next, *more, *hint;
	size_t hint_covers;
	struct proof proof;
	const char *shadow;
};

/**
 * struct view - rows in display order: by heading; credentials first, remarks last; then by who, kind, what
 * @counts:   rows of each heading
 * @nremarks: of HEAD_NEEDS, its last ones: remarks, see finding_is_remark()
 */
struct view {
	struct arena arena;
	const struct finding **rows;
	size_t nrows;
	size_t counts[HEAD_GRANTED + 1], nremarks;
};

void view_drop(struct view *v);
/* @all: with what differs from run to run, as --show-granted wants it. */
int view_make(struct view *out, const struct lesson *l, bool all, struct err *e) MUST;

/* Works confined, but not quite the same: a private directory was listed, which shows less there. No finding. */
bool finding_is_remark(const struct finding *f);

/* What a line that grants it would give away. @h: the recording's. */
enum risk finding_risk(const struct finding *f, const struct host *h);

/* Findings that make --check (--check=all) fail. */
size_t report_findings(const struct lesson *l, bool all);
enum outcome report_outcome(const struct report *r);
const char *outcome_word(enum outcome o);
/* What was looked at: "all", "hosts" (--network-only), "files" (--network-trace=off). Clean speaks of that only. */
const char *report_scope(const struct report *r);
/* Findings that neither the suggestion nor anything else grants: a confined run meets them as they say. */
size_t report_left(const struct lesson *l);
const char *heading_word(enum heading h);
const char *kind_word(enum need_kind k);
const char *necessity_word(enum necessity n);
/* "ENOENT", or "0" for 0, or the number. Static or in @a. */
const char *errno_word(struct arena *a, int code);
