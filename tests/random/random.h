/* SPDX-License-Identifier: MIT */
/*
 * What the programs of random.t are written in: accesses of every kind, one to a line,
 * and a schedule that the detector cannot see. An access is what it looks like at every
 * level of optimisation: no value is known to the compiler or unused, and memory is taken
 * to change from one line to the next.
 */
#ifndef TESTS_RANDOM_RANDOM_H
#define TESTS_RANDOM_RANDOM_H

#include "../programs/invisible.h"

#include <deadheat.h>
#include <malloc.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

void __tsan_acquire(void *);
void __tsan_release(void *);

#define NOINLINE      __attribute__((noinline, unused)) static
#define ANY	      __attribute__((may_alias))
#define ANYWHERE      __attribute__((may_alias, aligned(1)))
#define USE(v)	      __asm__ volatile("" : : "r"(v) : "memory")
#define USE_WIDE(v)   __asm__ volatile("" : : "x"(v) : "memory")
#define UNKNOWN(v)    __asm__ volatile("" : "+r"(v) : : "memory")
#define COMPILER_ONLY __asm__ volatile("" : : : "memory")

typedef uint8_t ANY a1;
typedef uint16_t ANY a2;
typedef uint32_t ANY a4;
typedef uint64_t ANY a8;
typedef uint16_t ANYWHERE u2;
typedef uint32_t ANYWHERE u4;
typedef uint64_t ANYWHERE u8;
typedef long long a16 __attribute__((vector_size(16), may_alias));
typedef long long u16 __attribute__((vector_size(16), may_alias, aligned(1)));

struct ANY bits1 {
	uint8_t x : 3, y : 5;
};
struct ANY bits2 {
	uint16_t x : 7, y : 9;
};
struct ANY bits4 {
	uint32_t x : 11, y : 10, z : 11;
};

/* In the line itself, and in a function that many lines call. */
#define READ(type, p)                                                                    \
	do {                                                                             \
		type value = *(type *)(p);                                               \
		USE(value);                                                              \
	} while (0)
#define WRITE(type, p)                                                                   \
	do {                                                                             \
		type value = 1;                                                          \
		UNKNOWN(value);                                                          \
		*(type *)(p) = value;                                                    \
		COMPILER_ONLY;                                                           \
	} while (0)
#define ADD(type, p)                                                                     \
	do {                                                                             \
		*(type *)(p) += 1;                                                       \
		COMPILER_ONLY;                                                           \
	} while (0)
#define READ_WIDE(type, p)                                                               \
	do {                                                                             \
		type value = *(type *)(p);                                               \
		USE_WIDE(value);                                                         \
	} while (0)
#define WRITE_WIDE(type, p)                                                              \
	do {                                                                             \
		type value = {1, 2};                                                     \
		__asm__ volatile("" : "+x"(value) : : "memory");                         \
		*(type *)(p) = value;                                                    \
		COMPILER_ONLY;                                                           \
	} while (0)
#define READ_BITS(type, field, p)                                                        \
	do {                                                                             \
		unsigned value = ((type *)(p))->field;                                   \
		USE(value);                                                              \
	} while (0)
#define WRITE_BITS(type, field, p)                                                       \
	do {                                                                             \
		unsigned value = 1;                                                      \
		UNKNOWN(value);                                                          \
		((type *)(p))->field = value & 1;                                        \
		COMPILER_ONLY;                                                           \
	} while (0)
#define READ_EACH(type, p, n)                                                            \
	do {                                                                             \
		type sum = 0;                                                            \
		for (unsigned i = 0; i < (n); i++)                                       \
			sum += ((type *)(p))[i];                                         \
		USE(sum);                                                                \
	} while (0)
#define WRITE_EACH(type, p, n)                                                           \
	do {                                                                             \
		type value = 1;                                                          \
		UNKNOWN(value);                                                          \
		for (unsigned i = 0; i < (n); i++)                                       \
			((type *)(p))[i] = value + i;                                    \
		COMPILER_ONLY;                                                           \
	} while (0)
#define COPY(size, to, from)                                                             \
	do {                                                                             \
		struct ANY piece {                                                       \
			uint8_t at[size];                                                \
		};                                                                       \
		*(struct piece *)(to) = *(struct piece *)(from);                         \
		COMPILER_ONLY;                                                           \
	} while (0)
/* What the thread has for itself, `own`, holds nothing that is known. */
#define FILL(p, size)                                                                    \
	do {                                                                             \
		memset(p, 1, size);                                                      \
		COMPILER_ONLY;                                                           \
	} while (0)
#define COPY_BYTES(to, from, size)                                                       \
	do {                                                                             \
		USE(own);                                                                \
		memcpy(to, from, size);                                                  \
		USE(own);                                                                \
	} while (0)
#define MOVE_BYTES(to, from, size)                                                       \
	do {                                                                             \
		memmove(to, from, size);                                                 \
		COMPILER_ONLY;                                                           \
	} while (0)
#define AGAIN(n, what)                                                                   \
	do {                                                                             \
		for (int round = 0; round < (n); round++)                                \
			what;                                                            \
	} while (0)

#define CALLS(type)                                                                      \
	NOINLINE void read_##type(void *p)                                               \
	{                                                                                \
		READ(type, p);                                                           \
	}                                                                                \
	NOINLINE void write_##type(void *p)                                              \
	{                                                                                \
		WRITE(type, p);                                                          \
	}
CALLS(a1)
CALLS(a2)
CALLS(a4)
CALLS(a8)
CALLS(u2)
CALLS(u4)
CALLS(u8)

#define LOAD(type, p, order)                                                             \
	do {                                                                             \
		type value = __atomic_load_n((type *)(p), order);                        \
		USE(value);                                                              \
	} while (0)
#define STORE(type, p, order)	  __atomic_store_n((type *)(p), 1, order)
#define FETCH_ADD(type, p, order) (void)__atomic_fetch_add((type *)(p), 1, order)
#define EXCHANGE(type, p, order)  (void)__atomic_exchange_n((type *)(p), 2, order)
/* Succeeds, where nothing else is done to the atomic; and fails. */
#define CAS(type, p, order, fail)                                                        \
	do {                                                                             \
		type old = invisible_value_##type(p);                                    \
		(void)__atomic_compare_exchange_n((type *)(p), &old, old + 1, 0, order,  \
						  fail);                                 \
	} while (0)
#define CAS_FAIL(type, p, order, fail)                                                   \
	do {                                                                             \
		type old = invisible_value_##type(p) + 1;                                \
		(void)__atomic_compare_exchange_n((type *)(p), &old, old, 0, order,      \
						  fail);                                 \
	} while (0)
#define VALUE(type)                                                                      \
	INVISIBLE type invisible_value_##type(const void *p)                             \
	{                                                                                \
		return *(const volatile type *)p;                                        \
	}
VALUE(a1)
VALUE(a2)
VALUE(a4)
VALUE(a8)

/* ---- what the detector is not to see ---- */

/* The turn of a thread begins, ends. */
INVISIBLE void turn(invisible_step_t *step, int number)
{
	invisible_await(step, number);
}

INVISIBLE void done(invisible_step_t *step)
{
	invisible_advance(step);
}

INVISIBLE int is_done(invisible_step_t *step)
{
	return __atomic_load_n(&step->value, __ATOMIC_SEQ_CST) > 0;
}

/* Where a block of the heap or a variable of a stack is. */
INVISIBLE uint8_t *at(void **place)
{
	return *(void *volatile *)place;
}

INVISIBLE void put(void **place, void *block)
{
	*(void *volatile *)place = block;
}

INVISIBLE pthread_t thread_of(const pthread_t *place)
{
	return *(const volatile pthread_t *)place;
}

INVISIBLE void put_thread(pthread_t *place, pthread_t thread)
{
	*(volatile pthread_t *)place = thread;
}

/* ---- threads ---- */

NOINLINE void spawn(pthread_t *place, void *(*routine)(void *), int detached)
{
	pthread_t thread;
	if (pthread_create(&thread, NULL, routine, NULL) != 0)
		abort();
	put_thread(place, thread);
	if (detached)
		pthread_detach(thread);
}

NOINLINE void initialiser(void)
{
}

/* No time is waited for. */
static const struct timespec far = {(time_t)1 << 32, 0};

/* ---- messages: from ends[1] to ends[0], one at a time ---- */

NOINLINE void open_pipe(int ends[2])
{
	if (pipe(ends) != 0)
		abort();
}

NOINLINE void open_socket(int ends[2])
{
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
		abort();
}

NOINLINE void open_event(int ends[2])
{
	ends[0] = ends[1] = eventfd(0, EFD_SEMAPHORE);
	if (ends[0] < 0)
		abort();
}

NOINLINE void send_pipe(int end)
{
	char message = 1;
	if (write(end, &message, 1) != 1)
		abort();
}

NOINLINE void receive_pipe(int end)
{
	char message;
	if (read(end, &message, 1) != 1)
		abort();
}

NOINLINE void send_socket(int end)
{
	char message = 1;
	if (send(end, &message, 1, 0) != 1)
		abort();
}

NOINLINE void receive_socket(int end)
{
	char message;
	if (recv(end, &message, 1, 0) != 1)
		abort();
}

NOINLINE void send_event(int end)
{
	if (eventfd_write(end, 1) != 0)
		abort();
}

NOINLINE void receive_event(int end)
{
	eventfd_t count;
	if (eventfd_read(end, &count) != 0)
		abort();
}

#endif
