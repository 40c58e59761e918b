/* SPDX-License-Identifier: MIT */
/* See text.h. */
#include "runtime/text.h"

size_t dh_text_length(const char *s)
{
	size_t n = 0;
	for (; s[n]; n++)
		__asm__ volatile(""); /* else the compiler makes a call of strlen of it */
	return n;
}

bool dh_text_same(const char *a, const char *b)
{
	size_t n = dh_text_length(a);
	return n == dh_text_length(b) && dh_same(a, b, n);
}

bool dh_text_begins(const char *s, const char *with)
{
	while (*with && *s == *with) {
		s++;
		with++;
	}
	return !*with;
}

void dh_text_bytes(struct dh_text *t, const void *from, size_t n)
{
	if (!n)
		return;
	dh_vec_reserve(t, t->len + n + 1);
	dh_copy(t->at + t->len, from, n);
	t->len += n;
}

void dh_text_add(struct dh_text *t, const char *s)
{
	dh_text_bytes(t, s, dh_text_length(s));
}

static void digits(struct dh_text *t, uint64_t n, unsigned base)
{
	char text[20];
	size_t at = sizeof text;
	do
		text[--at] = "0123456789abcdef"[n % base];
	while (n /= base);
	dh_text_bytes(t, text + at, sizeof text - at);
}

void dh_text_number(struct dh_text *t, uint64_t n)
{
	digits(t, n, 10);
}

void dh_text_hex(struct dh_text *t, uint64_t n)
{
	dh_text_add(t, "0x");
	digits(t, n, 16);
}

const char *dh_text_c(struct dh_text *t)
{
	dh_vec_reserve(t, t->len + 1);
	t->at[t->len] = '\0';
	return t->at;
}
