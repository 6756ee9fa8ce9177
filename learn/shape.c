/* shape.c - names that change from run to run, told by their form */
#include "learn/shape.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

static bool digit(char c)  { return c >= '0' && c <= '9'; }
static bool lower(char c)  { return c >= 'a' && c <= 'z'; }
static bool upper(char c)  { return c >= 'A' && c <= 'Z'; }
static bool hexa(char c)   { return digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
static bool word(char c)   { return digit(c) || lower(c) || upper(c); }

/* A run of 16 or more hex digits with nothing of a word on either side, holding a digit and a letter. */
static bool has_long_hex(const char *s)
{
	for (size_t i = 0; s[i];) {
		size_t n = 0, digits = 0;
		while (hexa(s[i + n]))
			digits += digit(s[i + n++]);
		if (n >= 16 && digits && digits < n && !word(s[i + n]) && (!i || !word(s[i - 1])))
			return true;
		i += n;
		while (s[i] && !(hexa(s[i]) && !word(s[i - 1])))
			i++;
	}
	return false;
}

static bool has_uuid(const char *s)
{
	static const char form[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
	for (; *s; s++) {
		size_t i = 0;
		while (form[i] && (form[i] == 'x' ? hexa(s[i]) : s[i] == '-'))
			i++;
		if (!form[i])
			return true;
	}
	return false;
}

static int number(const char *s, int n)
{
	int v = 0;
	for (int i = 0; i < n; i++) {
		if (!digit(s[i]))
			return -1;
		v = v * 10 + s[i] - '0';
	}
	return v;
}

/* Year, month, day at @s; its length, 0 if none. */
static size_t date_at(const char *s)
{
	int year = number(s, 4);
	if (year < 1990 || year > 2099)
		return 0;
	bool sep = s[4] == '-' || s[4] == '_' || s[4] == '.';
	const char *m = s + 4 + sep;
	int month = number(m, 2);
	if (month < 1 || month > 12 || (sep && m[2] != s[4]))
		return 0;
	int day = number(m + 2 + sep, 2);
	return day >= 1 && day <= 31 ? (size_t)(8 + 2 * sep) : 0;
}

/* "20261129", "2026-11-29T20_28_29", "2026-11-29-202829" */
static bool has_date(const char *s)
{
	for (size_t i = 0; s[i]; i++)
		if ((!i || !digit(s[i - 1])) && date_at(s + i))
			return true;
	return false;
}

static bool has_epoch(const char *s, uint64_t now_s)
{
	if (!now_s)
		return false;
	for (size_t i = 0; s[i];) {
		uint64_t v = 0;
		size_t n = 0;
		while (digit(s[i + n]) && n < 19)
			v = v * 10 + (uint64_t)(s[i + n++] - '0');
		for (uint64_t unit = 1; n >= 10 && unit <= 1000000000; unit *= 1000)
			if (v / unit + 172800 >= now_s && v / unit <= now_s + 172800)
				return true;
		i += n ? n : 1;
	}
	return false;
}

static bool has_version(const char *s)
{
	for (size_t i = 0; s[i]; i++)
		if (digit(s[i]) && s[i + 1] == '.' && digit(s[i + 2]))
			return true;
	return false;
}

/* @pid as a number of its own; three digits or more, or written as a pid is */
static bool has_pid(const char *s, int32_t pid)
{
	static const char *const tails[] = { ".pid", ".lock", ".tmp", ".log" };
	char text[16];
	int n = snprintf(text, sizeof(text), "%d", pid);
	if (pid <= 0)
		return false;
	for (const char *at = s; (at = strstr(at, text)); at++) {
		const char *end = at + n;
		if (digit(*end) || (at > s && digit(at[-1])))
			continue;
		if (n >= 3)
			return true;
		for (size_t i = 0; i < LEN(tails); i++)
			if (at > s && (at[-1] == '.' || at[-1] == '-') && !strcmp(end, tails[i]))
				return true;
	}
	return false;
}

/* "sha512", "Index5", "K01": a word in one way of writing and then a number is no accident */
static bool word_and_number(const char *t, size_t n)
{
	size_t i = upper(t[0]);
	bool caps = n > 1 && upper(t[0]) && upper(t[1]);
	while (i < n && (caps ? upper(t[i]) : lower(t[i])))
		i++;
	while (i < n && digit(t[i]))
		i++;
	return i == n;
}

/* Longest run of lower-case letters. */
static size_t lower_run(const char *t, size_t n)
{
	size_t best = 0, run = 0;
	for (size_t i = 0; i < n; i++) {
		run = lower(t[i]) ? run + 1 : 0;
		best = MAX(best, run);
	}
	return best;
}

bool shape_random_token(const char *name)
{
	size_t len = strlen(name), at = len, digits = 0, lowers = 0, uppers = 0;
	while (at && !strchr("._-", name[at - 1]))
		at--;
	const char *t = name + at;
	size_t n = len - at;
	if (n < 6 || n > 12)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!word(t[i]))
			return false;
		digits += digit(t[i]);
		lowers += lower(t[i]);
		uppers += upper(t[i]);
	}
	if (lowers == n || uppers == n || digits == n)
		return false;
	if (!digits)
		return uppers && lower_run(t, n) <= 2;
	return !word_and_number(t, n);
}

bool shape_lock(const char *name)
{
	size_t n = strlen(name);
	return (n > 5 && !strcmp(name + n - 5, ".lock")) || !strncmp(name, ".#lk", 4) ||
	       (n > 4 && !strcmp(name + n - 4, ".pid")) || !strcmp(name, "LOCK");
}

/* mkstemp's token may stand in front of a suffix ("tmpab12Xy.json"): then it is the last but one. */
static bool random_name(const char *name)
{
	char stem[64];
	const char *dot = strrchr(name, '.');
	if (shape_random_token(name))
		return true;
	if (!dot || dot == name || (size_t)(dot - name) >= sizeof(stem))
		return false;
	memcpy(stem, name, (size_t)(dot - name));
	stem[dot - name] = '\0';
	return shape_random_token(stem);
}

enum shape shape_of(const char *name, const struct shape_hints *h)
{
	if (has_uuid(name) || has_long_hex(name))
		return SHAPE_HASH;
	if (!h->created)
		return SHAPE_PLAIN;
	if (has_date(name) || has_epoch(name, h->now_s))
		return SHAPE_TIME;
	for (size_t i = 0; i < h->npids; i++)
		if (has_pid(name, h->pids[i]))
			return SHAPE_PID;
	if (h->temp_like && random_name(name))
		return SHAPE_RANDOM;
	return has_version(name) ? SHAPE_VERSION : SHAPE_PLAIN;
}
