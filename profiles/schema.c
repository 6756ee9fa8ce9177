/* schema.c - the JSON Schema of a profile, from the rows of profile.def */
#include "profiles/keys.h"

#include "base/esc.h"
#include "base/str.h"

#include <string.h>

/* What a value of each kind is. */
static const char *const kinds[] = {
	[KIND_SCHEMA] = "\"const\": \"" PROFILE_SCHEMA "\"",
	[KIND_NAME] = "\"type\": \"string\", \"pattern\": \"^[A-Za-z0-9_][A-Za-z0-9._-]{0,63}$\"",
	[KIND_TEXT] = "\"type\": \"string\"",
	[KIND_FLAG] = "\"type\": \"boolean\"",
	[KIND_PROFILES] = "\"type\": [\"array\", \"null\"], \"items\": { \"type\": \"string\" }",
	[KIND_ENVNAMES] = "\"type\": [\"array\", \"null\"], \"items\": { \"$ref\": \"#/$defs/word\" }",
	[KIND_HOSTS] = "\"type\": [\"array\", \"null\"], \"items\": { \"$ref\": \"#/$defs/word\" }",
	[KIND_SYSCALLS] = "\"type\": [\"array\", \"null\"], \"items\": { \"type\": \"string\" }",
	[KIND_DIRS] = "\"type\": [\"array\", \"null\"], \"items\": { \"$ref\": \"#/$defs/path\" }",
	[KIND_PATHS] = "\"type\": [\"array\", \"null\"], \"items\": { \"$ref\": \"#/$defs/pathent\" }",
	[KIND_BINDS] = "\"type\": [\"array\", \"null\"], \"items\": { \"$ref\": \"#/$defs/bind\" }",
	[KIND_ENVSET] = "\"type\": [\"object\", \"null\"], \"additionalProperties\": "
	                "{ \"type\": [\"string\", \"number\", \"boolean\"] }",
	[KIND_PROJECT] = "\"enum\": [\"ro\", \"rw\"]",
	[KIND_HOME] = "\"oneOf\": [{ \"enum\": [\"empty\", \"host\"] }, { \"type\": \"object\", \"properties\": "
	              "{ \"persist\": { \"$ref\": \"#/$defs/path\" } }, \"required\": [\"persist\"], "
	              "\"additionalProperties\": false }]",
	[KIND_NET] = "\"enum\": [\"none\", \"proxy\", \"host\"]",
	[KIND_ACTION] = "\"enum\": [\"errno\", \"kill\", \"log\"]",
	[KIND_TRI] = "\"type\": \"boolean\"",
	[KIND_SYS] = "\"enum\": [\"ro\", false]",
	[KIND_SIZE] = "\"anyOf\": [{ \"const\": false }, { \"type\": \"integer\", \"minimum\": 0 }, "
	              "{ \"type\": \"string\", \"pattern\": \"^[0-9]{1,12}([KMGT]iB)?$\" }]",
	[KIND_CWD] = "\"$ref\": \"#/$defs/path\"",
};

static const char defs[] =
	"  \"$defs\": {\n"
	"    \"word\": { \"type\": [\"string\", \"number\", \"boolean\", \"null\"] },\n"
	"    \"path\": { \"type\": \"string\", \"pattern\": "
	"\"^(/|~(/|$)|\\\\{(project|home|tmp|scratch|cache|config|data|state|runtime)\\\\}(/|$))\" },\n"
	"    \"pathent\": { \"oneOf\": [{ \"$ref\": \"#/$defs/path\" }, { \"type\": \"object\", \"properties\": { "
	"\"path\": { \"$ref\": \"#/$defs/path\" }, \"optional\": { \"type\": \"boolean\" } }, "
	"\"required\": [\"path\"], \"additionalProperties\": false }] },\n"
	"    \"bind\": { \"type\": \"object\", \"properties\": {\n"
	"      \"source\": { \"$ref\": \"#/$defs/path\" },\n"
	"      \"target\": { \"$ref\": \"#/$defs/path\" },\n"
	"      \"mode\": { \"enum\": [\"ro\", \"rw\", \"copy\"] },\n"
	"      \"create\": { \"enum\": [\"dir\", \"file\", \"false\", false] },\n"
	"      \"optional\": { \"type\": \"boolean\" }\n"
	"    }, \"required\": [\"source\"], \"additionalProperties\": false }\n"
	"  }\n";

static void add_key(struct str *out, const struct key *k, const char *indent, bool last)
{
	str_fmt(out, "%s\"%s\": { %s, \"description\": ", indent, k->key, kinds[k->kind]);
	esc_json(out, k->doc);
	str_add(out, last ? " }\n" : " },\n");
}

void profile_schema(struct str *out)
{
	str_add(out, "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
	             "  \"title\": \"" PROFILE_SCHEMA "\",\n  \"type\": \"object\",\n"
	             "  \"additionalProperties\": false,\n  \"properties\": {\n");
	for (size_t i = 0; i < nprofile_keys; i++) {
		const struct key *k = &profile_keys[i];
		bool last = i + 1 == nprofile_keys;
		bool opens = i && k->section[0] && strcmp(k->section, profile_keys[i - 1].section) != 0;
		bool closes = k->section[0] && (last || strcmp(k->section, profile_keys[i + 1].section) != 0);
		if (opens)
			str_fmt(out, "    \"%s\": { \"type\": [\"object\", \"null\"], \"additionalProperties\": false, "
			        "\"properties\": {\n", k->section);
		add_key(out, k, k->section[0] ? "      " : "    ", last || closes);
		if (closes)
			str_fmt(out, "    } }%s\n", last ? "" : ",");
	}
	str_add(out, "  },\n");
	str_add(out, defs);
	str_add(out, "}\n");
}
