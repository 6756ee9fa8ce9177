/* edit_fuzz.c - any profile: adding grants works or is refused, and a second time adds nothing */
/* covers: profiles/edit.c profiles/edit_list.c profiles/edit_text.c */
#include "base/str.h"
#include "profiles/edit.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static const char more[] =
	"binds:\n  - { source: ~/m, mode: ro }  # why\n  - { source: /b, mode: rw, create: dir }\n"
	"tmpfs: [~/t]\nenv: { allow: [M, A], prepend_path: [~/bin] }\nnetwork: { mode: proxy }\n"
	"proxy: { allow_hosts: [m.example.org] }\nsyscalls: { allow: [bpf] }\nspecial: { ptrace: true }\n";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct err e = { 0 };
	OWN(profile) add = { 0 };
	OWN(str) once = { 0 };
	OWN(str) twice = { 0 };
	OWN(str) notes = { 0 };
	char *text = malloc(len + 1);
	if (!text || profile_read(&add, more, sizeof(more) - 1, "more", NULL, &e))
		abort();
	memcpy(text, data, len);
	text[len] = '\0';
	if (profile_edit(&once, text, len, "fuzz", &add, &notes, &e) >= 0) {
		if (profile_edit(&twice, str_c(&once), once.len, "fuzz", &add, &notes, &e) != 0)
			abort();
		if (once.len != twice.len || memcmp(str_c(&once), str_c(&twice), once.len) != 0)
			abort();
	}
	free(text);
	return 0;
}
