/* SPDX-License-Identifier: MIT */
/* Waiting a moment for a lock; see linger.h. */
#include "runtime/intercept/linger.h"
#include "base/lock.h"
#include "runtime/intercept/watch.h"

enum { TURNS = 20 }; /* of a pause each: less than it costs to sleep and be woken */

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
	if (t && dh_patience_has(&t->state->at_locks))
		dh_patience_note(&t->state->at_locks, becomes_free(word, bits));
}
