/* SPDX-License-Identifier: MIT */
/*
 * For programs that somebody else wrote, put in front of each of their files (-include):
 * each call that synchronises becomes a missing method named unseen.NAME, and what it
 * does is still recorded, between begin and end. bench/run_missing takes that away.
 *
 * Not threads themselves: they start and end in plain sight.
 */
#ifndef DH_BENCH_PAIRS_H
#define DH_BENCH_PAIRS_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <pthread.h>
#include <semaphore.h>
#include "deadheat.h"

#define PAIR_1(name, A)                                                                  \
	static inline __attribute__((unused)) int unseen_##name(A a)                     \
	{                                                                                \
		DEADHEAT_MISSING_BEGIN("unseen." #name, a);                              \
		int result = name(a);                                                    \
		DEADHEAT_MISSING_END();                                                  \
		return result;                                                           \
	}

#define PAIR_2(name, A, B)                                                               \
	static inline __attribute__((unused)) int unseen_##name(A a, B b)                \
	{                                                                                \
		DEADHEAT_MISSING_BEGIN("unseen." #name, a, (void *)b);                   \
		int result = name(a, b);                                                 \
		DEADHEAT_MISSING_END();                                                  \
		return result;                                                           \
	}

#define PAIR_3(name, A, B, C)                                                            \
	static inline __attribute__((unused)) int unseen_##name(A a, B b, C c)           \
	{                                                                                \
		DEADHEAT_MISSING_BEGIN("unseen." #name, a, b, (void *)c);                \
		int result = name(a, b, c);                                              \
		DEADHEAT_MISSING_END();                                                  \
		return result;                                                           \
	}

PAIR_1(pthread_mutex_lock, pthread_mutex_t *)
PAIR_1(pthread_mutex_trylock, pthread_mutex_t *)
PAIR_1(pthread_mutex_unlock, pthread_mutex_t *)
PAIR_2(pthread_mutex_timedlock, pthread_mutex_t *, const struct timespec *)
PAIR_1(pthread_spin_lock, pthread_spinlock_t *)
PAIR_1(pthread_spin_trylock, pthread_spinlock_t *)
PAIR_1(pthread_spin_unlock, pthread_spinlock_t *)
PAIR_1(pthread_rwlock_rdlock, pthread_rwlock_t *)
PAIR_1(pthread_rwlock_wrlock, pthread_rwlock_t *)
PAIR_1(pthread_rwlock_unlock, pthread_rwlock_t *)
PAIR_1(pthread_cond_signal, pthread_cond_t *)
PAIR_1(pthread_cond_broadcast, pthread_cond_t *)
PAIR_2(pthread_cond_wait, pthread_cond_t *, pthread_mutex_t *)
PAIR_3(pthread_cond_timedwait, pthread_cond_t *, pthread_mutex_t *,
       const struct timespec *)
PAIR_1(pthread_barrier_wait, pthread_barrier_t *)
PAIR_1(sem_wait, sem_t *)
PAIR_1(sem_trywait, sem_t *)
PAIR_1(sem_post, sem_t *)

#define pthread_mutex_lock	unseen_pthread_mutex_lock
#define pthread_mutex_trylock	unseen_pthread_mutex_trylock
#define pthread_mutex_unlock	unseen_pthread_mutex_unlock
#define pthread_mutex_timedlock unseen_pthread_mutex_timedlock
#define pthread_spin_lock	unseen_pthread_spin_lock
#define pthread_spin_trylock	unseen_pthread_spin_trylock
#define pthread_spin_unlock	unseen_pthread_spin_unlock
#define pthread_rwlock_rdlock	unseen_pthread_rwlock_rdlock
#define pthread_rwlock_wrlock	unseen_pthread_rwlock_wrlock
#define pthread_rwlock_unlock	unseen_pthread_rwlock_unlock
#define pthread_cond_signal	unseen_pthread_cond_signal
#define pthread_cond_broadcast	unseen_pthread_cond_broadcast
#define pthread_cond_wait	unseen_pthread_cond_wait
#define pthread_cond_timedwait	unseen_pthread_cond_timedwait
#define pthread_barrier_wait	unseen_pthread_barrier_wait
#define sem_wait		unseen_sem_wait
#define sem_trywait		unseen_sem_trywait
#define sem_post		unseen_sem_post

#endif
