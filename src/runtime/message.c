/* SPDX-License-Identifier: MIT */
/* See message.h. */
#include "runtime/message.h"
#include "runtime/channel.h"
#include "runtime/thread.h"

static struct dh_text message;	    /* kept for its room */
static struct dh_vec(uint64_t) pcs; /* likewise */

void dh_message_word(uint64_t n)
{
	dh_text_bytes(&message, &n, sizeof n);
}

void dh_message_bytes(const char *s, size_t n)
{
	dh_message_word(n);
	dh_text_bytes(&message, s, n);
}

void dh_message_text(const char *s)
{
	dh_message_bytes(s, dh_text_length(s));
}

void dh_message_begin(enum dh_wire_kind kind)
{
	message.len = 0;
	dh_message_word(kind);
	dh_message_word(0);
}

bool dh_message_send(void)
{
	uint64_t payload = message.len - 2 * sizeof(uint64_t);
	dh_copy(message.at + sizeof payload, &payload, sizeof payload);
	return dh_channel_send(message.at, message.len);
}

struct dh_text *dh_message_as_text(void)
{
	message.len = 0;
	return &message;
}

static void walk(uint32_t site)
{
	pcs.len = 0;
	if (site == DH_SITE_UNKNOWN)
		return;
	dh_vec_push(&pcs, dh_site_pc(dh_contexts, site));
	uint32_t node = dh_site_node(dh_contexts, site);
	for (; node != DH_CONTEXT_ROOT; node = dh_context_parent(dh_contexts, node)) {
		dh_vec_push(&pcs, dh_context_pc(dh_contexts, node));
		if (dh_context_is_folded(dh_contexts, node))
			dh_vec_push(&pcs, DH_WIRE_FOLDED);
	}
}

const uint64_t *dh_message_walk(uint32_t site, size_t *count)
{
	walk(site);
	*count = pcs.len;
	return pcs.at;
}

void dh_message_stack(uint32_t site)
{
	walk(site);
	dh_message_word(pcs.len);
	for (size_t i = 0; i < pcs.len; i++)
		dh_message_word(pcs.at[i]);
}
