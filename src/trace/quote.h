/* SPDX-License-Identifier: MIT */
/*
 * Text of a trace inside a message for a person: between quotes, cut where it is
 * long, control characters and what is no UTF-8 replaced, so that a message stays one
 * short line whatever the input was.
 *
 *   printf("unknown operation %s", dh_quote(text, len).text);
 */
#ifndef DH_TRACE_QUOTE_H
#define DH_TRACE_QUOTE_H

#include "base/base.h"

struct dh_quoted {
	char text[80];
};

struct dh_quoted dh_quote(const char *text, size_t len);

#endif
