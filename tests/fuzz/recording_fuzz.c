/* recording_fuzz.c - any bytes: the reader refuses or reads, and what it read survives a write and a second read */
/* covers: trace/recording_read.c trace/recording_fields.c base/jsonline.c */
#include "base/str.h"
#include "trace/recording.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static int read_bytes(struct recording *r, const void *p, size_t len)
{
	struct err e = { 0 };
	FILE *f = fmemopen((void *)(uintptr_t)p, len, "r");
	if (!f)
		return -1;
	int rc = recording_read(r, f, "fuzz", &e);
	fclose(f);
	return rc;
}

static char *write_bytes(const struct recording *r, size_t *len)
{
	struct err e = { 0 };
	char *text = NULL;
	FILE *f = open_memstream(&text, len);
	if (!f || recording_write(r, f, &e))
		abort();
	fclose(f);
	return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	OWN(recording) a = { 0 };
	OWN(recording) b = { 0 };
	if (!len || read_bytes(&a, data, len))
		return 0;
	for (size_t i = 0; i < a.nprocs; i++) {
		OWN(str) s = { 0 };
		recording_chain(&a, a.procs[i].id, &s);
	}
	size_t n1, n2;
	char *t1 = write_bytes(&a, &n1);
	if (read_bytes(&b, t1, n1))
		abort();
	char *t2 = write_bytes(&b, &n2);
	/* a duplicate file fact or a dropped access may change counts once, never twice */
	if (n1 != n2 || memcmp(t1, t2, n1) != 0)
		abort();
	free(t1);
	free(t2);
	return 0;
}
