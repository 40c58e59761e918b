/* SPDX-License-Identifier: MIT */
/*
 * Reads one JSON value from bytes in memory, in place: texts are unescaped where they
 * stand and ended with a NUL, so nothing is copied. A reader is used for line after line
 * and keeps its array, so nothing is allocated either once it has grown. That is what a
 * report of some hundred megabytes of findings needs, and why no library is used: those
 * that Debian has build a tree of separately allocated, reference-counted nodes.
 *
 *   struct dh_json_reader r = {0};
 *   const struct dh_json_value *v = dh_json_read(&r, line, len);
 *   if (!v) complain(r.error, r.at);
 *   uint64_t n = dh_json_uint(dh_json_get(v, "events"), 0);
 *
 * Input is hostile: depth is bounded, a NUL in a text becomes U+FFFD, lone surrogates
 * too. Bytes that are no UTF-8 are passed on. Not for concurrent use. Accessors take NULL
 * for a value that is not there.
 */
#ifndef DH_REPORT_JSON_READ_H
#define DH_REPORT_JSON_READ_H

#include "base/vec.h"

enum dh_json_type {
	DH_JSON_NULL,
	DH_JSON_FALSE,
	DH_JSON_TRUE,
	DH_JSON_NUMBER,
	DH_JSON_TEXT,
	DH_JSON_ARRAY,
	DH_JSON_OBJECT,
};

/* Values lie in the order in which they begin, so the first child of one comes right
 * after it, and its next sibling `span` further. */
struct dh_json_value {
	const char *key;  /* in an object; ended by a NUL */
	const char *text; /* TEXT: ended by a NUL. NUMBER: as it stood */
	uint32_t key_len, len;
	uint32_t span; /* this and all below it */
	uint32_t type; /* enum dh_json_type */
};
_Static_assert(sizeof(struct dh_json_value) == 32, "two to a cache line");

struct dh_json_reader {
	struct dh_vec(struct dh_json_value) values;
	const char *error; /* what is wrong */
	size_t at;	   /* and at which byte, from 0 */
	bool cut;	   /* the input ended within the value */
	/* private, while reading */
	char *from, *p, *end;
	unsigned depth;
};

/* The value, good until the next reading or change of the bytes; NULL and an error where
 * it is none. Nothing outside of the len bytes is touched. */
const struct dh_json_value *dh_json_read(struct dh_json_reader *r, char *bytes,
					 size_t len);
void dh_json_reader_free(struct dh_json_reader *r);

/* The member of an object; NULL where v is no object or has none of this name. */
const struct dh_json_value *dh_json_find(const struct dh_json_value *v, const char *key,
					 size_t key_len);
#define dh_json_get(v, literal) dh_json_find(v, "" literal, sizeof(literal) - 1)

/* NULL where it is none. */
const char *dh_json_text_of(const struct dh_json_value *v);

/* `otherwise` where it is no whole number, or out of range. */
uint64_t dh_json_uint(const struct dh_json_value *v, uint64_t otherwise);
int64_t dh_json_int(const struct dh_json_value *v, int64_t otherwise);

DH_INLINE bool dh_json_is(const struct dh_json_value *v, enum dh_json_type type)
{
	return v && v->type == type;
}

/* for (const struct dh_json_value *c = dh_json_first(v); c; c = dh_json_next(v, c)) */
DH_INLINE const struct dh_json_value *dh_json_first(const struct dh_json_value *v)
{
	return v && v->type >= DH_JSON_ARRAY && v->span > 1 ? v + 1 : NULL;
}

DH_INLINE const struct dh_json_value *dh_json_next(const struct dh_json_value *in,
						   const struct dh_json_value *c)
{
	return c + c->span < in + in->span ? c + c->span : NULL;
}

#endif
