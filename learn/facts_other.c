/* facts_other.c - sockets by address, hosts, system calls and variables as findings */
#include "learn/replay.h"

#include "base/str.h"
#include "profiles/judge.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

const char *line_text(struct arena *a, const struct src *s)
{
	if (!s || !s->origin)
		return "snug itself";
	return s->line ? arena_fmt(a, "%s:%u", s->origin, s->line) : s->origin;
}

const char *replay_who(struct replay *p, uint32_t proc)
{
	if (!proc || proc > p->r->nprocs)
		return NULL;
	if (!p->who[proc]) {
		OWN(str) s = { 0 };
		recording_who(p->r, proc, &s);
		p->who[proc] = s.oom ? NULL : arena_str(p->f->arena, str_c(&s));
	}
	return p->who[proc];
}

enum necessity outcome_necessity(const struct event *ev)
{
	switch (ev->outcome) {
	case 0:
	case EAGAIN:
	case EINTR:
	case EINPROGRESS:
		return ev->source == OUT_UNKNOWN ? NEC_UNKNOWN : NEC_REQUIRED;
	case ENOENT:
	case ENOTDIR:
		return NEC_PROBE;
	case EEXIST:
		return ev->acc.op == OP_MKDIR || ev->acc.op == OP_OPEN ? NEC_PROBE : NEC_FAILED_ANYWAY;
	case ENOSYS:
		return ev->acc.marks & MARK_EMULATED ? NEC_PROBE : NEC_FAILED_ANYWAY;
	}
	return NEC_FAILED_ANYWAY;
}

static const struct { enum op op; enum need_kind kind; } kinds[] = {
	{ OP_CONNECT, NEED_HOST }, { OP_SEND, NEED_HOST }, { OP_HOST, NEED_HOST },       { OP_BIND, NEED_LISTEN },
	{ OP_LISTEN, NEED_LISTEN }, { OP_ENV, NEED_ENV },  { OP_SYSCALL, NEED_SYSCALL },
};

static enum need_kind kind_of(const struct access *a)
{
	if (a->family == FAM_ABSTRACT || a->family == FAM_OTHER || a->family == FAM_NETLINK)
		return a->op == OP_BIND || a->op == OP_LISTEN ? NEED_LISTEN : NEED_SOCKET;
	for (size_t i = 0; i < LEN(kinds); i++)
		if (kinds[i].op == a->op)
			return kinds[i].kind;
	return NEED_SOCKET;
}

static enum heading heading_of(enum necessity n, enum verdict v)
{
	if (n == NEC_PROBE)
		return v == V_GRANTED ? HEAD_GRANTED : HEAD_PROBE;
	if (v == V_GRANTED)
		return HEAD_GRANTED;
	if (n == NEC_FAILED_ANYWAY)
		return HEAD_FAILED;
	return v == V_PRIVATE ? HEAD_SELF : HEAD_NEEDS;
}

/* What a person should know about a connection that stays out of reach. */
static const char *socket_note(const struct access *a)
{
	if (a->op == OP_HOST)
		return NULL;
	if (a->family == FAM_ABSTRACT)
		return "an abstract socket: those of the host are out of reach, whatever is granted";
	if (a->family != FAM_INET && a->family != FAM_INET6)
		return a->family == FAM_OTHER ? "a socket family that only --network host has" : NULL;
	if (a->op == OP_BIND || a->op == OP_LISTEN)
		return NULL;
	if (judge_loopback(a->obj[0].spelled) && a->op == OP_SEND)
		return "datagrams to a service outside the sandbox: they arrive only with --network host";
	if (judge_loopback(a->obj[0].spelled))
		return "a service outside the sandbox: reached if the program uses the proxy";
	if (a->port == 53)
		return "asked a name server itself";
	return a->marks & MARK_BYPASS ? "did not use the proxy: reachable only with --network host"
	                              : "known by address only: reachable only with --network host";
}

/* A datagram socket that is connected and sends nothing only asks the kernel for a route; look-ups go by the proxy. */
static bool only_asks(const struct access *a)
{
	bool inet = a->family == FAM_INET || a->family == FAM_INET6;
	if (!inet || (a->op != OP_CONNECT && a->op != OP_SEND))
		return false;
	return a->port == 53 || (a->op == OP_CONNECT && (a->flags & 0xf) == SOCK_DGRAM);
}

/* Its caller has no capability, and calls what wants one: refused outside too, which the recorder does not see. */
static bool refused_anyway(struct facts *f, const struct event *ev)
{
	const char *name = ev->acc.obj[0].spelled;
	if (ev->acc.op != OP_SYSCALL || !name)
		return false;
	f->userns |= !strcmp(name, "unshare") || !strcmp(name, "clone") || !strcmp(name, "clone3");
	return !f->userns && !ev->acc.caps && ev->source != OUT_OBSERVED && (judge_needs_capability(name) || !strcmp(name, "bpf"));
}

static const struct { unsigned family; const char *name; } families[] = {
	{ AF_AX25, "AF_AX25" }, { AF_IPX, "AF_IPX" }, { AF_APPLETALK, "AF_APPLETALK" }, { AF_NETROM, "AF_NETROM" },
	{ AF_X25, "AF_X25" }, { AF_ROSE, "AF_ROSE" }, { AF_KEY, "AF_KEY" }, { AF_PACKET, "AF_PACKET" }, { AF_RDS, "AF_RDS" },
	{ AF_PPPOX, "AF_PPPOX" }, { AF_LLC, "AF_LLC" }, { AF_CAN, "AF_CAN" }, { AF_TIPC, "AF_TIPC" },
	{ AF_BLUETOOTH, "AF_BLUETOOTH" }, { AF_RXRPC, "AF_RXRPC" }, { AF_PHONET, "AF_PHONET" },
	{ AF_IEEE802154, "AF_IEEE802154" }, { AF_ALG, "AF_ALG" }, { AF_NFC, "AF_NFC" }, { AF_VSOCK, "AF_VSOCK" },
	{ AF_KCM, "AF_KCM" }, { AF_QIPCRTR, "AF_QIPCRTR" }, { AF_SMC, "AF_SMC" }, { AF_XDP, "AF_XDP" },
	{ AF_INET, "AF_INET" }, { AF_INET6, "AF_INET6" }, { AF_UNIX, "AF_UNIX" }, { AF_NETLINK, "AF_NETLINK" },
};

const char *access_name(struct arena *a, const struct access *acc)
{
	const char *spelled = acc->obj[0].spelled;
	unsigned family = acc->flags;
	bool call = acc->op == OP_SYSCALL && spelled && !strcmp(spelled, "socket");
	if (!call && (acc->family != FAM_OTHER || !spelled || sscanf(spelled, "family %u", &family) != 1))
		return spelled;
	for (size_t i = 0; i < LEN(families); i++)
		if (families[i].family == family)
			return arena_fmt(a, "%s%s", call ? "socket " : "", families[i].name);
	return arena_fmt(a, "%sfamily %u", call ? "socket " : "", family);
}

int facts_other(struct replay *p, const struct event *ev, const struct judgement *j)
{
	struct facts *f = p->f;
	const struct access *a = &ev->acc;
	struct finding new = {
		.kind = kind_of(a), .judgement = *j, .what = access_name(f->arena, a), .who = replay_who(p, ev->proc),
		.proc = ev->proc, .outcome = ev->outcome, .count = ev->count, .at_least = ev->at_least, .seq = ev->seq,
		.necessity = only_asks(a) ? NEC_PROBE : outcome_necessity(ev),
	};
	if (!new.what)
		return a->obj[0].spelled ? -ENOMEM : 0;
	if (refused_anyway(f, ev))
		new.necessity = NEC_FAILED_ANYWAY;
	if (j->verdict == V_PRIVATE && new.necessity == NEC_REQUIRED)
		new.necessity = NEC_SELF_CREATED;
	new.direct = new.kind == NEED_HOST && a->op != OP_HOST && (a->op == OP_SEND || !judge_loopback(a->obj[0].spelled));
	new.heading = heading_of(new.necessity, j->verdict);
	if (new.kind == NEED_LISTEN && new.heading == HEAD_NEEDS && a->op == OP_LISTEN)
		new.heading = HEAD_SELF;
	new.counts = new.heading == HEAD_NEEDS;
	new.counts_all = new.heading != HEAD_GRANTED;
	const char *key = arena_fmt(f->arena, "%d:%s", (int)new.kind, new.what);
	struct finding *to = key ? findings_add(&f->found, key, &new, p->run) : NULL;
	if (!to)
		return -ENOMEM;
	if (to->heading != HEAD_NEEDS)
		return 0;
	const char *note = socket_note(a);
	if (j->verdict == V_DENIED)
		note = arena_fmt(f->arena, "%s denies it", line_text(f->arena, j->by));
	return note ? finding_note(&f->found, to, note) : 0;
}

int facts_nets(struct replay *p)
{
	struct facts *f = p->f;
	for (size_t i = 0; i < p->r->nnets; i++) {
		const struct netfact *n = &p->r->nets[i];
		bool six = strchr(n->host, ':');
		const char *what = arena_fmt(f->arena, six ? "[%s]:%u" : "%s:%u", n->host, n->port);
		const char *key = what ? arena_fmt(f->arena, "%d:%s", (int)NEED_HOST, what) : NULL;
		if (!key)
			return -ENOMEM;
		if (findings_get(&f->found, key))
			continue;
		struct event ev = {
			.seq = UINT64_MAX, .count = n->connections, .proc = n->proc, .outcome = n->outcome, .source = OUT_OBSERVED,
			.acc = { .op = n->bypass ? OP_CONNECT : OP_HOST, .port = n->port, .marks = n->bypass ? MARK_BYPASS : 0,
			         .family = n->bypass ? (six ? FAM_INET6 : FAM_INET) : FAM_NONE, .obj = { { .spelled = what } } },
		};
		struct judgement j = policy_judge(f->pol, &ev.acc, &p->r->host, &p->made);
		int err = facts_other(p, &ev, &j);
		if (err)
			return err;
	}
	return 0;
}
