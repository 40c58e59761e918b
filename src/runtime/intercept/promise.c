/* SPDX-License-Identifier: MIT */
/*
 * Promises of libstdc++ that are made good when their thread ends
 * (set_value_at_thread_exit() and its kin). The rest of a promise is code of headers,
 * which is watched; this part is the library's. It keeps a list of what to do at the end
 * of the thread, and on it a weak reference to the state that promise and future share.
 * In the end it locks that, stores that the state is ready, and lets go of it, which can
 * destroy the state with the program's own destructors.
 *
 * So our function stands on the list in place of the library's. It has a reference of its
 * own around the library's work: the last one is then given up here, or by code that is
 * watched.
 */
#include "runtime/abi.h"
#include "runtime/intercept/cxx.h"
#include "runtime/intercept/watch.h"
#include "runtime/sync.h"

/* What a shared_ptr counts its references in, with its virtual functions: two
 * destructors, then these. */
struct counts {
	void (**methods)(struct counts *);
	int uses, weaks; /* atomic; all uses together are one of the weak ones */
};
enum { DISPOSE = 2, DESTROY = 3 };

/* A promise on the list. */
struct ready {
	struct ready *next;
	void (*at_end)(void *ready);
	uintptr_t state; /* a weak_ptr */
	struct counts *counts;
};
enum { STATUS = 16 }; /* within the state: what a future waits for */

#define SET _ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv
DH_EXPORT void SET(struct ready *r);

static void (*library)(void *ready); /* atomic: what the library would do */

/* As weak_ptr::lock(). */
static bool hold(struct counts *c)
{
	int now = __atomic_load_n(&c->uses, __ATOMIC_RELAXED);
	while (now > 0)
		if (__atomic_compare_exchange_n(&c->uses, &now, now + 1, false,
						__ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
			return true;
	return false;
}

/* Gives up one of these references; true where it was the last. */
static bool let_go(struct dh_self *t, int *references)
{
	dh_sync_release_join(t, (uintptr_t)references);
	if (__atomic_fetch_sub(references, 1, __ATOMIC_ACQ_REL) > 1)
		return false;
	dh_sync_acquire(t, (uintptr_t)references);
	return true;
}

static void at_end(void *ready)
{
	struct ready *r = ready;
	struct counts *c = r->counts;
	struct dh_self *t = dh_watched();
	bool held = t && c && hold(c);
	if (held)
		dh_sync_release_join(t, r->state + STATUS);
	__atomic_load_n(&library, __ATOMIC_RELAXED)(ready);
	if (!held || !let_go(t, &c->uses))
		return;
	c->methods[DISPOSE](c);
	if (let_go(t, &c->weaks))
		c->methods[DESTROY](c);
}

void SET(struct ready *r)
{
	DH_CXX(_ZNSt13__future_base13_State_baseV211_Make_ready6_M_setEv)(r);
	__atomic_store_n(&library, r->at_end, __ATOMIC_RELAXED);
	r->at_end = at_end;
}
