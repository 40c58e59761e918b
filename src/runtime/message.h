/* SPDX-License-Identifier: MIT */
/*
 * A message to the helper in the making (report/wire.h), and what all messages are made
 * of. There is one at a time: the caller is report.c or what it calls, under its lock.
 * Allocates.
 */
#ifndef DH_RUNTIME_MESSAGE_H
#define DH_RUNTIME_MESSAGE_H

#include "report/wire.h"
#include "runtime/text.h"

/* Starts another; what was put together before is dropped. */
void dh_message_begin(enum dh_wire_kind kind);

void dh_message_word(uint64_t n);
void dh_message_bytes(const char *s, size_t n);
void dh_message_text(const char *s);

/* The stack of a site. */
void dh_message_stack(uint32_t site);

/* The same as the return addresses and marks that would be sent. Valid until the next
 * call of either. */
const uint64_t *dh_message_walk(uint32_t site, size_t *count);

/* Sends it. False where the helper is gone. */
bool dh_message_send(void);

/* An empty text in the place of the message, for a report without the helper. */
struct dh_text *dh_message_as_text(void);

#endif
