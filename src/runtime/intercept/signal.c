/* SPDX-License-Identifier: MIT */
/*
 * Running the program's signal handlers, or putting them off; see signal.h.
 *
 * Invariants of a thread's queue:
 *   - it is changed with all signals blocked only, but for taking a place in it: that is
 *     one instruction, and the kernel may have stacked several arrivals on each other;
 *   - while `masked`, the kernel's mask of the thread is ours, and `mask` is what the
 *     thread had. Of several arrivals that were stacked the outermost is the last to
 *     set it, and it is the one that was there first;
 *   - a signal blocks itself while it arrives (SA_NODEFER is done here and not by the
 *     kernel), so that only one of a kind is under way at a time. The queue is full
 *     only if handlers were left by jumps again and again; then they run at once.
 * A thread has a queue while something is in it.
 */
#define _GNU_SOURCE
#include "runtime/intercept/signal.h"
#include <errno.h>
#include <ucontext.h>
#include "base/sys.h"
#include "runtime/callers.h"
#include "runtime/dynamic.h"
#include "runtime/evidence.h"
#include "runtime/faults.h"
#include "runtime/intercept/watch.h"
#include "base/kernel.h"
#include "runtime/roomy.h"
#include "runtime/sync.h"
#include "runtime/vectors.h"

enum { MOST = DH_SIGNALS, SPARES = 8, MASK_SIZE = DH_SIGNALS / 8 };

struct arrival {
	int number;
	struct dh_action action;
	siginfo_t info;
	ucontext_t context;
};

struct queue {
	uint32_t count; /* atomic */
	bool masked;
	uint64_t mask;
	struct arrival at[MOST];
};

struct dh_action dh_actions[DH_SIGNALS + 1];

static __thread struct queue *queue __attribute__((tls_model("initial-exec")));
static struct queue *spares[SPARES]; /* atomic */

uint64_t dh_signals_mask(int how, uint64_t set)
{
	uint64_t old = 0;
	DH_KERNEL_4(__NR_rt_sigprocmask, how, &set, &old, MASK_SIZE);
	return old;
}

static uint64_t *mask_of(ucontext_t *c)
{
	return (uint64_t *)&c->uc_sigmask;
}

/* ---- queues ---- */

static struct queue *queue_get(void)
{
	for (size_t i = 0; i < SPARES; i++) {
		struct queue *q = __atomic_exchange_n(&spares[i], NULL, __ATOMIC_ACQUIRE);
		if (q)
			return q;
	}
	return dh_sys_map(sizeof(struct queue));
}

static void queue_put(struct queue *q)
{
	q->count = 0;
	q->masked = false;
	for (size_t i = 0; i < SPARES; i++) {
		struct queue *none = NULL;
		if (__atomic_compare_exchange_n(&spares[i], &none, q, false,
						__ATOMIC_RELEASE, __ATOMIC_RELAXED))
			return;
	}
	dh_sys_unmap(q, sizeof *q);
}

/* The thread's queue; NULL where there is no memory for one. */
static struct queue *queue_own(void)
{
	struct queue *none = NULL, *fresh;
	if (queue || !(fresh = queue_get()))
		return queue;
	if (!__atomic_compare_exchange_n(&queue, &none, fresh, false, __ATOMIC_RELAXED,
					 __ATOMIC_RELAXED))
		queue_put(fresh); /* an arrival on top of this one was faster */
	return queue;
}

/* ---- running ---- */

static struct dh_action action_of(int number)
{
	const struct dh_action *a = &dh_actions[number];
	return (struct dh_action){__atomic_load_n(&a->function, __ATOMIC_ACQUIRE),
				  __atomic_load_n(&a->mask, __ATOMIC_RELAXED),
				  __atomic_load_n(&a->flags, __ATOMIC_RELAXED)};
}

/* The signals that the handler has blocked beyond those of the thread. */
static uint64_t blocked_by(const struct dh_action *a, int number)
{
	return a->mask | (a->flags & SA_NODEFER ? 0 : dh_signal_bit(number));
}

/* An exception, cancellation or pthread_exit() leads out of a handler. */
DH_UNWIND_ROUTINE(dh_signal_unwound);
DH_UNWIND_ROUTINE(dh_signal_unwound)
{
	struct dh_self *t = dh_thread_self();
	(void)version, (void)kind, (void)exception, (void)context;
	if ((actions & DH_UNWIND_CLEANUP) && t->state && t->state->handler_count) {
		dh_enter_runtime(t);
		dh_handler_abandon(t);
		dh_leave_runtime(t);
	}
	return DH_UNWIND_GO_ON;
}

/* What the thread itself could not access, as the kernel says; DH_NO_FAULT. */
static uintptr_t fault_of(int number, const siginfo_t *info)
{
	bool memory = number == SIGSEGV || number == SIGBUS;
	return memory && info->si_code > 0 ? (uintptr_t)info->si_addr : DH_NO_FAULT;
}

static uintptr_t sp_of(const ucontext_t *c)
{
#if defined(__x86_64__)
	return (uintptr_t)c->uc_mcontext.gregs[REG_RSP];
#else
	return (uintptr_t)c->uc_mcontext.sp;
#endif
}

static uintptr_t pc_of(const ucontext_t *c)
{
#if defined(__x86_64__)
	return (uintptr_t)c->uc_mcontext.gregs[REG_RIP];
#else
	return (uintptr_t)c->uc_mcontext.pc;
#endif
}

/* Where the innermost function has called the library whose code was interrupted; else 0.
 * As a frame of its own it leads to that function in the handler's stacks. Code of the
 * program itself is interrupted at ever new places, by a timer for instance, each of which
 * would be a context for good: of that there are no frames. */
static uint64_t place_behind(const struct dh_self *t, const ucontext_t *c)
{
	const uintptr_t pc = pc_of(c);
	return dh_caller_kind(pc) == DH_CALLER_WATCHED || dh_dynamic_own(pc)
		   ? 0
		   : dh_caller_behind_at(t, sp_of(c));
}

/* sp is where the interrupted code was. */
static DH_UNWOUND void run(const struct dh_action *a, int number, siginfo_t *info,
			   void *context, uintptr_t sp)
{
	DH_ON_UNWIND(dh_signal_unwound);
	struct dh_self *t = dh_thread_self();
	bool attached = t->state != NULL;
	uint32_t ignored =
	    t->ignore_sync; /* by what was interrupted, not by the handler */
	uint64_t ticket = 0;
	t->ignore_sync = 0;
	if (attached) {
		const uint64_t place = place_behind(t, context);
		ticket = dh_handler_begin(t, (uintptr_t)__builtin_frame_address(0), sp,
					  fault_of(number, info));
		if (place)
			dh_thread_enter(t, place);
	}
	if (dh_watched())
		dh_sync_acquire(t, dh_signal_sync(number));
	a->function(number, info, context);
	if (attached)
		dh_handler_end(t, ticket);
	if (attached && !t->inside)
		dh_fault_past(t);
	t->ignore_sync = ignored;
}

/* ---- putting off ---- */

/* Raised by what the thread itself was doing; the kernel asks for no patience then. */
static bool is_synchronous(int number, const siginfo_t *info)
{
	const uint64_t kinds = dh_signal_bit(SIGSEGV) | dh_signal_bit(SIGBUS) |
			       dh_signal_bit(SIGFPE) | dh_signal_bit(SIGILL) |
			       dh_signal_bit(SIGTRAP) | dh_signal_bit(SIGSYS);
	return (kinds & dh_signal_bit(number)) && info->si_code > 0;
}

/* All but those that a fault may raise: blocked, these would end the process. */
static uint64_t patient(int number)
{
	return ~(dh_signal_bit(SIGSEGV) | dh_signal_bit(SIGBUS) | dh_signal_bit(SIGFPE) |
		 dh_signal_bit(SIGILL) | dh_signal_bit(SIGTRAP) | dh_signal_bit(SIGSYS)) |
	       dh_signal_bit(number);
}

/* What the kernel has put on the stack is less than the type of libc says. */
static void copy_context(ucontext_t *to, const ucontext_t *from)
{
#if defined(__x86_64__)
	dh_zero(to, sizeof *to);
	dh_copy(to, from, offsetof(ucontext_t, uc_sigmask) + MASK_SIZE);
	if (from->uc_mcontext.fpregs) {
		dh_copy(&to->__fpregs_mem, from->uc_mcontext.fpregs,
			sizeof to->__fpregs_mem);
		to->uc_mcontext.fpregs = &to->__fpregs_mem;
	}
#else
	*to = *from;
#endif
}

/* False where the handler has to run at once after all. */
static bool put_off(const struct dh_action *a, int number, const siginfo_t *info,
		    ucontext_t *context)
{
	struct queue *q = queue_own();
	if (!q)
		return false;
	uint32_t place = __atomic_fetch_add(&q->count, 1, __ATOMIC_RELAXED);
	if (place >= MOST) {
		__atomic_fetch_sub(&q->count, 1, __ATOMIC_RELAXED);
		return false;
	}
	dh_signals_mask(SIG_BLOCK,
			~(uint64_t)0); /* until we return to what was interrupted */
	q->at[place].number = number;
	q->at[place].action = *a;
	q->at[place].info = *info;
	copy_context(&q->at[place].context, context);
	q->masked = true;
	q->mask = *mask_of(context);
	*mask_of(context) |= patient(number);
	dh_signals_pending = q->count;
	return true;
}

void dh_signal_arrived(int number, siginfo_t *info, void *context)
{
	struct dh_action a = action_of(number);
	int error = errno;
	if (!dh_thread_self()->inside || is_synchronous(number, info) ||
	    !put_off(&a, number, info, context)) {
		if (a.flags & SA_NODEFER && !(a.mask & dh_signal_bit(number)))
			dh_signals_mask(SIG_UNBLOCK, dh_signal_bit(number));
		run(&a, number, info, context, sp_of(context));
	}
	errno = error;
}

/* ---- making up for it ---- */

static void run_arrival(void *arrival)
{
	struct arrival *r = arrival;
	run(&r->action, r->number, &r->info, &r->context,
	    (uintptr_t)__builtin_frame_address(0));
}

/* The end of the stack for handlers that want one of their own; NULL where the thread
 * has none, or is on it, or it would have to be given up meanwhile. */
static char *other_stack(const struct dh_action *a)
{
	stack_t s = {.ss_flags = SS_DISABLE};
	if (a->flags & SA_ONSTACK)
		DH_KERNEL_2(__NR_sigaltstack, NULL, &s);
	return s.ss_flags == 0 ? (char *)s.ss_sp + s.ss_size : NULL;
}

/* The thread's mask is `mask`; returns what it is to be afterwards. In between all
 * signals are blocked. */
static uint64_t make_up(struct arrival *r, uint64_t mask)
{
	char *stack = other_stack(&r->action);
	*mask_of(&r->context) = mask;
	dh_signals_mask(SIG_SETMASK, mask | blocked_by(&r->action, r->number));
	if (stack)
		dh_call_on_stack(stack, run_arrival, r);
	else
		run_arrival(r);
	dh_signals_mask(SIG_BLOCK, ~(uint64_t)0);
	return *mask_of(&r->context);
}

/* Takes the first out that the mask lets through. */
static bool take(struct arrival *out, uint64_t mask)
{
	struct queue *q = queue;
	uint32_t i = 0, count = q ? q->count : 0;
	while (i < count && (mask & dh_signal_bit(q->at[i].number)))
		i++;
	if (i == count)
		return false;
	out->number = q->at[i].number;
	out->action = q->at[i].action;
	out->info = q->at[i].info;
	copy_context(&out->context, &q->at[i].context);
	for (q->count = --count; i < count; i++) {
		q->at[i] = q->at[i + 1];
		copy_context(&q->at[i].context, &q->at[i + 1].context);
	}
	dh_signals_pending = count;
	if (count == 0) {
		queue = NULL;
		queue_put(q);
	}
	return true;
}

static void deliver_all(void *unused)
{
	(void)unused;
	int error = errno;
	struct arrival r;
	uint64_t mask = dh_signals_mask(SIG_BLOCK, ~(uint64_t)0);
	if (queue && queue->masked) {
		mask = queue->mask;
		queue->masked = false;
	}
	while (take(&r, mask))
		mask = make_up(&r, mask);
	dh_signals_mask(SIG_SETMASK, mask);
	errno = error;
}

/* Called when `inside` has fallen to zero with something put off. */
static void deliver(struct dh_self *t)
{
	dh_vectors_call(deliver_all, t);
}

void dh_signals_prepare(void)
{
	__atomic_store_n(&dh_handler_left_fault, dh_fault_left, __ATOMIC_RELAXED);
	__atomic_store_n(&dh_evidence_readable, dh_fault_readable, __ATOMIC_RELAXED);
	__atomic_store_n(&dh_signals_waiting, deliver, __ATOMIC_RELEASE);
}

void dh_signals_after_fork(void)
{
	struct queue *q = queue;
	dh_signals_pending = 0;
	queue = NULL;
	if (q)
		queue_put(q);
}
