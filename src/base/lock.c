/* SPDX-License-Identifier: MIT */
/* The slow ends of lock.h: the classic three-state futex mutex; spinning and napping. */
#include "base/lock.h"
#include "base/sys.h"

/* Work under such a lock takes less than a microsecond as a rule, and going to sleep and
 * being woken several. */
enum { SPINS = 100 };

static bool try_lock(struct dh_lock *l)
{
	uint32_t free = 0;
	return __atomic_load_n(&l->word, __ATOMIC_RELAXED) == 0 &&
	       __atomic_compare_exchange_n(&l->word, &free, 1, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

DH_COLD void dh_lock_slow(struct dh_lock *l)
{
	for (int i = 0; i < SPINS; i++) {
		if (try_lock(l))
			return;
		dh_breathe();
	}
	while (__atomic_exchange_n(&l->word, 2, __ATOMIC_ACQUIRE) != 0)
		dh_sys_futex_wait(&l->word, 2);
}

DH_COLD void dh_unlock_slow(struct dh_lock *l)
{
	dh_sys_futex_wake(&l->word, 1);
}

/* ---- brief ones ---- */

/* Work under such a lock takes less than the spins do: if they are not enough, the holder
 * does not run, and on a busy machine will not for milliseconds. Then polling would cost
 * more than waiting. */
enum { BRIEF_SPINS = 64, NAP_FIRST = 20000, NAP_MOST = 4000000 /* ns */ };

DH_COLD void dh_wait_briefly(uint64_t *waited)
{
	if (*waited < BRIEF_SPINS) {
		++*waited;
		dh_breathe();
	} else {
		*waited =
		    DH_MIN(DH_MAX(*waited * 2, (uint64_t)NAP_FIRST), (uint64_t)NAP_MOST);
		dh_sys_nap(*waited);
	}
}

DH_COLD void dh_brief_lock_slow(struct dh_brief *l)
{
	for (uint64_t waited = 0;; dh_wait_briefly(&waited)) {
		uint32_t free = 0;
		if (__atomic_load_n(&l->word, __ATOMIC_RELAXED) == 0 &&
		    __atomic_compare_exchange_n(&l->word, &free, 1, false,
						__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return;
	}
}
