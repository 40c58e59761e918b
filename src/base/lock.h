/* SPDX-License-Identifier: MIT */
/*
 * A mutex of one word: spins a little, then sleeps in the kernel. For our own
 * tables only; it is never held while code of the watched program runs, so the
 * program cannot deadlock with it. Zero-initialised is unlocked. Not reentrant;
 * a signal handler must not take a lock that the thread it interrupted holds.
 */
#ifndef DH_BASE_LOCK_H
#define DH_BASE_LOCK_H

#include "base/base.h"

struct dh_lock {
	uint32_t word; /* 0 free, 1 held, 2 held and someone sleeps */
};

/* The contended ends of the two below. */
void dh_lock_slow(struct dh_lock *l);
void dh_unlock_slow(struct dh_lock *l);

DH_INLINE void dh_lock(struct dh_lock *l)
{
	uint32_t free = 0;
	if (DH_UNLIKELY(!__atomic_compare_exchange_n(&l->word, &free, 1, false,
						     __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)))
		dh_lock_slow(l);
}

DH_INLINE void dh_unlock(struct dh_lock *l)
{
	if (DH_UNLIKELY(__atomic_exchange_n(&l->word, 0, __ATOMIC_RELEASE) == 2))
		dh_unlock_slow(l);
}

/*
 * A lock for work of a few instructions that is done very often: one locked instruction
 * to take, none to give back. In return nobody is woken; who finds it taken spins, and
 * then naps for ever longer, so that the holder gets to run whatever the priorities.
 */
struct dh_brief {
	uint32_t word; /* 0 free, 1 held */
};

void dh_brief_lock_slow(struct dh_brief *l);

/* Tells the processor that the thread waits for a word to change. */
DH_INLINE void dh_breathe(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#endif
}

/* One turn of waiting for somebody's few instructions: spins, and then naps for ever
 * longer. *waited is 0 at first. */
void dh_wait_briefly(uint64_t *waited);

DH_INLINE void dh_brief_lock(struct dh_brief *l)
{
	uint32_t free = 0;
	if (DH_UNLIKELY(!__atomic_compare_exchange_n(&l->word, &free, 1, false,
						     __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)))
		dh_brief_lock_slow(l);
}

/* Just now, that is. */
DH_INLINE bool dh_brief_held(const struct dh_brief *l)
{
	return __atomic_load_n(&l->word, __ATOMIC_RELAXED);
}

DH_INLINE void dh_brief_unlock(struct dh_brief *l)
{
	__atomic_store_n(&l->word, 0, __ATOMIC_RELEASE);
}

/*
 * Locks of tables that must be whole in the child of a fork: all are taken before it and
 * freed after it, on both sides (runtime/intercept/fork.c). Taken in the order of their
 * ranks; so who holds a lock of one rank may take only locks of higher ones. Said once
 * at file level, for an array of structs with a lock in them, or for one lock:
 *
 *	DH_LOCKS_AROUND_FORK(classes, &classes[0].lock, CLASSES, sizeof classes[0], rank)
 *	DH_LOCK_AROUND_FORK(lock, rank)
 */
enum dh_fork_rank {
	DH_FORK_OUTER,   /* code under it may use the tables below */
	DH_FORK_HEAP,    /* dh_heap_before_fork() */
	DH_FORK_THREADS, /* dh_threads_lock */
	DH_FORK_TABLES,
	DH_FORK_MEMORY,  /* dh_mem_*() */
	DH_FORK_RANKS,
};

struct dh_fork_locks {
	struct dh_lock *first;
	uint32_t count, stride;
	uint32_t rank;
} __attribute__((aligned(32)));
_Static_assert(sizeof(struct dh_fork_locks) == 32, "entries follow without a gap");

#define DH_LOCKS_AROUND_FORK(name, lock, many, size, order)                              \
	static const struct dh_fork_locks dh_fork_##name                                 \
		__attribute__((used, section("dh_fork"))) = {lock, many, size, order}
#define DH_LOCK_AROUND_FORK(lock, order)                                                 \
	DH_LOCKS_AROUND_FORK(lock, &(lock), 1, sizeof(lock), order)

#endif
