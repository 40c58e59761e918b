/* SPDX-License-Identifier: MIT */
/* See lifetime.h. */
#include "runtime/intercept/lifetime.h"
#include <limits.h>
#include "base/mem.h"
#include "runtime/faults.h"
#include "runtime/fiber.h"
#include "runtime/heap.h"
#include "runtime/intercept/handles.h"
#include "runtime/intercept/memory.h"
#include "runtime/intercept/signal.h"
#include "runtime/sync.h"
#include "runtime/realstack.h"

static pthread_key_t end_key;

/* What dh_birth_end() puts back. */
static __thread uint64_t creator_mask __attribute__((tls_model("initial-exec")));

/* ---- the end ---- */

/* The kernel hands the robust mutexes that a dying thread holds to who waits for them;
 * nobody gets the other locks any more. */
static void release_what_is_held(struct dh_self *t)
{
	for (uint32_t i = 0; i < t->state->held_count; i++)
		dh_sync_leave(t, t->state->held[i].lock);
}

/* value counts the rounds of destructors that are left. */
static void ending(void *value)
{
	struct dh_self *t = dh_thread_self();
	uintptr_t left = (uintptr_t)value;
	if (!t->state)
		return;
	/* The thread may have come here by unwinding past its frames. */
	dh_thread_left_below(t, UINTPTR_MAX);
	t->top = t->state->frames;
	if (left > 1 && pthread_setspecific(end_key, (void *)(left - 1)) == 0)
		return;
	dh_fault_past(t);
	dh_fiber_thread_ends();
	struct dh_thread_info *info = t->state->info;
	release_what_is_held(t);
	if (dh_thread_detach_self())
		dh_handle_drop(pthread_self(), info);
	dh_heap_thread_end();
}

static void arm(void)
{
	pthread_setspecific(end_key, (void *)(uintptr_t)PTHREAD_DESTRUCTOR_ITERATIONS);
}

/* After its end a thread has `ignore` raised. */
static bool adopt(struct dh_self *t)
{
	if (t->ignore || t->inside)
		return false;
	dh_thread_attach(NULL);
	dh_thread_know_all(t);
	arm();
	return true;
}

void dh_lifetime_init(void)
{
	DH_CHECK(pthread_key_create(&end_key, ending) == 0);
	dh_handle_enter(pthread_self(), dh_thread_self()->state->info);
	arm();
	dh_thread_adopt = adopt;
}

/* ---- birth ---- */

/* Signals that the C library keeps for itself. By the second, setuid() and its kin reach all
 * threads; they wait for each of them, holding a lock that who makes a thread wants. */
enum { OWN_CANCEL = 32, OWN_SETXID = 33 };

struct dh_birth *dh_birth_begin(uint64_t pc)
{
	struct dh_self *t = dh_thread_self();
	if (!t->state)
		return NULL;
	dh_enter_runtime(t);
	struct dh_birth *b = dh_mem_alloc(sizeof *b);
	b->info = dh_thread_create(dh_realstack_site(t, pc));
	dh_leave_runtime(t);
	b->mask = creator_mask = dh_signals_mask(SIG_BLOCK, ~dh_signal_bit(OWN_SETXID));
	return b;
}

void dh_birth_end(struct dh_birth *b, struct dh_thread_info *info, const pthread_t *made,
		  bool detached)
{
	dh_signals_mask(SIG_SETMASK, creator_mask);
	if (!made) {
		struct dh_self *t = dh_thread_self();
		dh_thread_abandon(info);
		dh_enter_runtime(t);
		dh_mem_free(b, sizeof *b);
		dh_leave_runtime(t);
		return;
	}
	/* Once the child has entered itself, `made` may be memory of the past. */
	if (!detached && !__atomic_load_n(&info->handled, __ATOMIC_ACQUIRE))
		dh_handle_enter(*made, info);
}

/* But those that cannot be, and those that the C library keeps for itself. */
static bool all_are_blocked(void)
{
	uint64_t except = dh_signal_bit(SIGKILL) | dh_signal_bit(SIGSTOP) |
			  dh_signal_bit(OWN_CANCEL) | dh_signal_bit(OWN_SETXID);
	return !~(dh_signals_mask(SIG_BLOCK, 0) | except);
}

struct dh_birth dh_birth_start(struct dh_birth *b)
{
	struct dh_self *t = dh_thread_self();
	struct dh_birth mine = *b;
	dh_thread_attach(mine.info);
	dh_handle_enter(pthread_self(), mine.info);
	dh_enter_runtime(t);
	dh_mem_free(b, sizeof *b);
	dh_leave_runtime(t);
	arm();
	dh_memory_thread_stack();
	if (all_are_blocked()) /* else the attributes asked for a mask */
		dh_signals_mask(SIG_SETMASK, mine.mask);
	return mine;
}

/* ---- joining ---- */

/* For who joins a thread before its creator has entered it. A thread that lives is
 * another one that got the name meanwhile. */
static struct dh_thread_info *find_ended(pthread_t handle)
{
	struct dh_thread_info *info = dh_handle_find(handle);
	return info && !__atomic_load_n(&info->running, __ATOMIC_RELAXED) ? info : NULL;
}

void dh_lifetime_joined(pthread_t handle, struct dh_thread_info *info)
{
	if (!info && !(info = find_ended(handle)))
		return;
	if (dh_thread_self()->state)
		dh_thread_joined(info);
	else
		dh_thread_forget(info);
	dh_handle_drop(handle, info);
}

void dh_lifetime_detached(pthread_t handle, struct dh_thread_info *info)
{
	if (info && dh_thread_forget(info))
		dh_handle_drop(handle, info);
}
