/* kernfs.c - file systems of the kernel that are mounted inside what is granted; pure */
#include "profiles/resolve.h"

#include "base/path.h"

#include <string.h>

/*
 * A chroot tree has a /proc and a /sys of its own, and they are the host's: its processes, its knobs, for which root needs
 * no capability. Who grants the tree did not mean those; who names a path inside of one did.
 */
static const struct {
	const char *fstype;
	enum kernfs kind;
} table[] = {
	{ "proc", KERNFS_PROC },       { "sysfs", KERNFS_KNOBS },    { "cgroup", KERNFS_KNOBS },
	{ "cgroup2", KERNFS_KNOBS },   { "debugfs", KERNFS_KNOBS },  { "tracefs", KERNFS_KNOBS },
	{ "securityfs", KERNFS_KNOBS }, { "configfs", KERNFS_KNOBS }, { "efivarfs", KERNFS_KNOBS },
	{ "bpf", KERNFS_KNOBS },       { "pstore", KERNFS_KNOBS },   { "binfmt_misc", KERNFS_KNOBS },
	{ "selinuxfs", KERNFS_KNOBS }, { "smackfs", KERNFS_KNOBS },  { "fusectl", KERNFS_KNOBS },
	{ "resctrl", KERNFS_KNOBS },   { "nfsd", KERNFS_KNOBS },
};

static enum kernfs kind_of(const char *fstype)
{
	for (size_t i = 0; i < LEN(table); i++)
		if (!strcmp(table[i].fstype, fstype))
			return table[i].kind;
	return KERNFS_NONE;
}

enum kernfs kernfs_at(const struct host *h, const char *path)
{
	enum kernfs kind = KERNFS_NONE;
	size_t n = 0;
	/* a tmpfs inside of one, as at /sys/fs/cgroup, belongs to it */
	for (size_t i = 0; i < h->nmounts; i++) {
		const struct host_mount *m = &h->mounts[i];
		enum kernfs k = strlen(m->point) >= n && path_under(path, m->point) ? kind_of(m->fstype) : KERNFS_NONE;
		if (k) {
			kind = k;
			n = strlen(m->point);
		}
	}
	return kind;
}

static bool is_guarded(const struct resolver *r, const char *path, enum kernfs kind)
{
	for (size_t i = 0; i < r->places.n; i++) {
		const struct place *p = &r->places.items[i];
		if (path_under(path, p->path) && (p->kind == PLACE_MASK || (p->kind == PLACE_FENCE && kind == KERNFS_KNOBS)))
			return true;
	}
	return false;
}

/* Mount point @m, as place @c shows it. */
static int guard(struct resolver *r, const struct place *c, const struct host_mount *m, enum kernfs kind, size_t *n)
{
	static const struct src own = { .origin = PROFILE_SNUG };
	const char *path = path_join(&r->pol->arena, c->path, m->point + strlen(c->source) + (c->source[1] != '\0'));
	if (!path)
		return resolve_memory(r);
	/* something of the view's own, or a path that is named, may lie over it */
	if (place_cover(r->pol, path) != c || is_guarded(r, path, kind) || (kind == KERNFS_KNOBS && c->mode == BIND_RO))
		return 0;
	const struct place p = { .kind = kind == KERNFS_PROC ? PLACE_MASK : PLACE_FENCE, .path = path, .source = m->point,
	                         .type = FT_DIR, .mode = BIND_RO, .optional = true, .src = own };
	int x = resolve_note(r, &own, kind == KERNFS_PROC ? "%s is the host's %s: hidden" : "%s is the host's %s: read-only, unless "
	                     "a line names it", resolve_show(r, path), m->fstype);
	(*n)++;
	return x ? x : place_push(r, &p);
}

int kernfs_guard(struct resolver *r, size_t *n)
{
	int x = 0;
	for (size_t i = 0; i < r->h->nmounts && !x; i++) {
		const struct host_mount *m = &r->h->mounts[i];
		enum kernfs kind = kind_of(m->fstype);
		for (size_t k = 0; kind && k < r->pol->nplaces && !x; k++) {
			const struct place *c = &r->pol->places[k];
			if (c->kind == PLACE_BIND && path_below(m->point, c->source) && !kernfs_at(r->h, c->source))
				x = guard(r, c, m, kind, n);
		}
	}
	return x;
}
