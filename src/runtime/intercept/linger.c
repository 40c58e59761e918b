/* SPDX-License-Identifier: MIT */
/* Waiting a moment for a lock; see linger.h. */
#include "runtime/intercept/linger.h"
#include "base/lock.h"
#include "runtime/intercept/watch.h"

enum {
	TURNS = 300,	  /* of a pause each: some microseconds */
	USELESS_MOST = 8, /* waits in vain, less those that were not, before it is left */
	RETRY = 16,	  /* and so many such locks later it is tried again */
};

static bool becomes_free(const uint32_t *word, uint32_t bits)
{
	for (unsigned i = 0; i < TURNS; i++, dh_breathe())
		if (!(__atomic_load_n(word, __ATOMIC_RELAXED) & bits))
			return true;
	return false;
}

/* A holder that does not run, as on a machine with one processor, or that holds for long,
 * is not worth waiting for. */
DH_COLD void dh_linger_slow(const void *word, uint32_t bits)
{
	struct dh_self *t = dh_watched();
	if (!t)
		return;
	struct dh_thread_state *s = t->state;
	if (s->useless_waits == USELESS_MOST && ++s->waits_left_out % RETRY != 0)
		return;
	if (!becomes_free(word, bits))
		s->useless_waits = DH_MIN(s->useless_waits + 1, USELESS_MOST);
	else if (s->useless_waits)
		s->useless_waits--;
}
