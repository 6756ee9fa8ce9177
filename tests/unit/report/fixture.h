/* fixture.h - a lesson made by hand, as the tests of both forms read it */
#pragma once

#include "report/view.h"

static const struct src BY_BASE = { .origin = "builtin:base", .line = 12 };
static const struct src BY_NODE = { .origin = "builtin:node", .line = 5 };
static const struct src BY_DENY = { .origin = "./p.yaml", .line = 7 };

static struct finding FINDINGS[] = {
	{ .kind = NEED_HOST, .heading = HEAD_NEEDS, .necessity = NEC_REQUIRED, .what = "example.org:443",
	  .who = "left-pad@1.3.0 install: node install.js", .grant = "proxy.allow_hosts: example.org",
	  .judgement = { .verdict = V_MISSING, .err = 13, .http = 403 }, .counts = true, .counts_all = true, .count = 2, .runs = 1 },
	{ .kind = NEED_READ, .heading = HEAD_NEEDS, .necessity = NEC_REQUIRED, .what = "~/.npmrc", .path = "/home/ann/.npmrc",
	  .who = "npm install", .grant = "binds: ~/.npmrc ro", .judgement = { .verdict = V_MISSING, .err = 2 },
	  .counts = true, .counts_all = true, .count = 3, .runs = 1 },
	{ .kind = NEED_READ, .heading = HEAD_NEEDS, .necessity = NEC_REQUIRED, .what = "~/.ssh/id_rsa",
	  .path = "/home/ann/.ssh/id_rsa", .who = "npm install", .note = "a credential store: commented in the suggestion",
	  .judgement = { .verdict = V_DENIED, .err = 13, .by = &BY_DENY }, .credential = true, .counts = true,
	  .counts_all = true, .count = 1, .runs = 1 },
	{ .kind = NEED_CREATE, .heading = HEAD_LOST, .necessity = NEC_CREATED, .what = "~/.config/tool/state",
	  .path = "/home/ann/.config/tool/state", .who = "npm install", .judgement = { .verdict = V_PRIVATE },
	  .counts_all = true, .count = 1, .runs = 1 },
	{ .kind = NEED_READ, .heading = HEAD_PROBE, .necessity = NEC_PROBE, .what = "/etc/npmrc", .path = "/etc/npmrc",
	  .who = "npm install", .judgement = { .verdict = V_MISSING, .err = 2 }, .outcome = 2, .count = 1, .runs = 1 },
	{ .kind = NEED_READ, .heading = HEAD_GRANTED, .necessity = NEC_REQUIRED, .what = "/usr/bin/node",
	  .path = "/usr/bin/node", .who = "npm install", .judgement = { .verdict = V_GRANTED, .by = &BY_BASE }, .count = 1, .runs = 1 },
};

static struct grant_use USES[] = {
	{ .src = &BY_BASE, .text = "/usr ro", .count = 4210 },
	{ .src = &BY_NODE, .text = "~/.npm rw", .count = 0 },
};

static struct word PROFILES[] = { { .text = "builtin:base" }, { .text = "builtin:node" } };
static const char *ARGV[] = { "npm", "install", NULL };

struct fixture {
	struct recording rec;
	struct recording *recs[1];
	struct policy pol;
	struct lesson lesson;
	struct report report;
};

/* In place: the parts point at each other. */
static void fixture_fill(struct fixture *f)
{
	*f = (struct fixture){ 0 };
	f->rec.host.home = "/home/ann";
	f->rec.host.recorder = "notify";
	f->rec.host.network_view = "names";
	f->rec.host.uid = 1000;
	f->rec.argv = ARGV;
	f->rec.nargv = 2;
	f->recs[0] = &f->rec;
	f->pol.profiles = (struct wordlist){ PROFILES, LEN(PROFILES) };
	f->lesson.findings = FINDINGS;
	f->lesson.nfindings = LEN(FINDINGS);
	f->lesson.uses = USES;
	f->lesson.nuses = LEN(USES);
	f->lesson.suggests = true;
	f->lesson.nruns = 1;
	f->lesson.suggestion.name = "npm";
	f->report = (struct report){
		.lesson = &f->lesson, .recs = f->recs, .nrecs = 1, .pol = &f->pol,
		.suggestion = "~/s/suggested.yaml", .next = "snug +node --profile ~/s/suggested.yaml -- npm install",
		.more = "snug report last",
	};
}
