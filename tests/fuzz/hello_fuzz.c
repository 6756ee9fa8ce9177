/* hello_fuzz.c - first bytes of a tunnel; covers: enforce/relay_hello.c */
#include "enforce/relay_hello.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char name[NAME_MAX_BYTES], again[NAME_MAX_BYTES];
	char *p = malloc(size ? size : 1);
	if (size)
		memcpy(p, data, size);
	enum hello whole = hello_read(p, size, name);
	if (whole == HELLO_NAME && strlen(name) >= sizeof(name))
		abort();
	/* what was decided on less is decided the same on more */
	for (size_t cut = 0; cut < size; cut += 1 + size / 16) {
		enum hello part = hello_read(p, cut, again);
		if (part != HELLO_MORE && part != whole)
			abort();
		if (part == HELLO_NAME && strcmp(name, again) != 0)
			abort();
	}
	free(p);
	return 0;
}
