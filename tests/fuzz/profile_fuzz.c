/* profile_fuzz.c - any bytes: the reader refuses with a place or reads, and what it read survives a write and a second read */
/* covers: profiles/yaml_in.c profiles/yaml_items.c profiles/yaml_node.c profiles/yaml_path.c profiles/yaml_reader.c */
#include "base/str.h"
#include "profiles/profile.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	OWN(profile) a = { 0 };
	OWN(profile) b = { 0 };
	OWN(str) first = { 0 };
	OWN(str) second = { 0 };
	struct err e = { 0 };
	if (profile_read(&a, (const char *)data, len, "fuzz.yaml", NULL, &e) < 0) {
		if (strncmp(e.msg, "fuzz.yaml", 9) != 0 || a.arena.head)
			abort(); /* no place, or something left behind */
		return 0;
	}
	profile_write(&first, &a);
	if (profile_read(&b, str_c(&first), first.len, "again.yaml", NULL, &e) < 0)
		abort();
	profile_write(&second, &b);
	if (strcmp(str_c(&first), str_c(&second)) != 0)
		abort();
	return 0;
}
