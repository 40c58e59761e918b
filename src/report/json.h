/* SPDX-License-Identifier: MIT */
/*
 * Writes JSON to a stdio stream: commas, nesting, escaping. Strings may hold any
 * bytes; what is not UTF-8 comes out as U+FFFD, so the result is always valid.
 *
 *   struct dh_json j = {.to = stdout};
 *   dh_json_open(&j, NULL, '{');
 *   dh_json_number(&j, "events", 3);
 *   dh_json_close(&j, '}');
 *
 * The key is NULL inside an array, and at the top.
 */
#ifndef DH_REPORT_JSON_H
#define DH_REPORT_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct dh_json {
	FILE *to;
	bool comma;  /* the next value needs one before it */
	bool markup; /* goes into a page: nothing in a string can end the element */
};

void dh_json_open(struct dh_json *j, const char *key, char bracket);
void dh_json_close(struct dh_json *j, char bracket);
void dh_json_text(struct dh_json *j, const char *key, const char *value);
/* The same of bytes that no NUL ends. */
void dh_json_bytes(struct dh_json *j, const char *key, const char *value, size_t len);
void dh_json_number(struct dh_json *j, const char *key, uint64_t value);
void dh_json_signed(struct dh_json *j, const char *key, int64_t value);
void dh_json_bool(struct dh_json *j, const char *key, bool value);
void dh_json_null(struct dh_json *j, const char *key);

#endif
