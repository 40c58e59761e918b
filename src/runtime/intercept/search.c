/* SPDX-License-Identifier: MIT */
/* Searching in zero-ended text and taking it apart; see string.c. */
#define _GNU_SOURCE
#define DH_DEFINES_BYTES
#include <string.h>
#include <strings.h>
#include "runtime/intercept/real.h"
#include "runtime/intercept/touch.h"

/* As far as what was found, or to the end. */
static void reads_up_to(const char *s, const char *found, uint64_t pc)
{
	if (found)
		dh_reads(s, (size_t)(found - s) + 1, pc);
	else
		dh_reads_text(s, pc);
}

/* ---- for a character ---- */

#define FIND(name)                                                                       \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT char *name(const char *s, int c)                                       \
	{                                                                                \
		char *found = DH_REAL(name)(s, c);                                       \
		reads_up_to(s, found, DH_CALLER());                                      \
		return found;                                                            \
	}
FIND(strchr)
FIND(strchrnul)
FIND(index)

/* The last one: all of the text is looked at. */
#define FIND_LAST(name)                                                                  \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT char *name(const char *s, int c)                                       \
	{                                                                                \
		dh_reads_text(s, DH_CALLER());                                           \
		return DH_REAL(name)(s, c);                                              \
	}
FIND_LAST(strrchr)
FIND_LAST(rindex)

/* ---- for a text ---- */

#define FIND_TEXT(name)                                                                  \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT char *name(const char *s, const char *what)                            \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		char *found = DH_REAL(name)(s, what);                                    \
		if (dh_touches(pc)) {                                                    \
			size_t len = dh_bytes_length(what);                              \
			dh_reads(what, len + 1, pc);                                     \
			reads_up_to(s, found &&len ? found + len - 1 : found, pc);       \
		}                                                                        \
		return found;                                                            \
	}
FIND_TEXT(strstr)
FIND_TEXT(strcasestr)

/* ---- for characters of a set ---- */

DH_REAL_WANT(strspn);
DH_REAL_WANT(strcspn);
DH_REAL_WANT(strpbrk);

DH_EXPORT size_t strspn(const char *s, const char *set)
{
	uint64_t pc = DH_CALLER();
	size_t n = DH_REAL(strspn)(s, set);
	dh_reads(s, n + 1, pc);
	dh_reads_text(set, pc);
	return n;
}

DH_EXPORT size_t strcspn(const char *s, const char *set)
{
	uint64_t pc = DH_CALLER();
	size_t n = DH_REAL(strcspn)(s, set);
	dh_reads(s, n + 1, pc);
	dh_reads_text(set, pc);
	return n;
}

DH_EXPORT char *strpbrk(const char *s, const char *set)
{
	uint64_t pc = DH_CALLER();
	char *found = DH_REAL(strpbrk)(s, set);
	reads_up_to(s, found, pc);
	dh_reads_text(set, pc);
	return found;
}

/* ---- taking apart ---- */

DH_REAL_WANT(strtok_r);
DH_REAL_WANT(strsep);

/* A token was cut off [from, next): its bytes were looked at, its end overwritten. */
static void cut(char *from, const char *token, const char *next, uint64_t pc)
{
	if (!from || !dh_touches(pc))
		return;
	size_t len = token ? dh_bytes_length(token) : 0;
	const char *end = token ? token + len + 1 : next;
	if (end > from)
		dh_reads(from, (size_t)(end - from), pc);
	if (token && next && next > token + len)
		dh_writes(token + len, 1, pc);
}

static char *token_of(char *s, const char *set, char **place, uint64_t pc)
{
	dh_reads_text(set, pc);
	if (!s)
		dh_reads(place, sizeof *place, pc);
	char *from = s ? s : *place;
	char *token = DH_REAL(strtok_r)(s, set, place);
	dh_writes(place, sizeof *place, pc);
	cut(from, token, *place, pc);
	return token;
}

/* What the C library remembers between two calls: ours, so that it can be told of. */
static char *strtok_place;

DH_EXPORT char *strtok(char *s, const char *set)
{
	return token_of(s, set, &strtok_place, DH_CALLER());
}

DH_EXPORT char *strtok_r(char *s, const char *set, char **place)
{
	return token_of(s, set, place, DH_CALLER());
}

DH_EXPORT char *__strtok_r(char *s, const char *set, char **place)
{
	return token_of(s, set, place, DH_CALLER());
}

DH_EXPORT char *strsep(char **place, const char *set)
{
	uint64_t pc = DH_CALLER();
	char *from = *place;
	dh_reads_text(set, pc);
	char *token = DH_REAL(strsep)(place, set);
	dh_writes(place, sizeof *place, pc);
	cut(from, token, *place, pc);
	return token;
}
