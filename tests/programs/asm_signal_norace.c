/* SPDX-License-Identifier: MIT */
// skip: dropin
/* Signals that come in the middle of a locked instruction, as it is told of: the handler
 * has its own, and the vectors of who was interrupted stay as they were. */
#include <immintrin.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>

enum { SIGNALS = 300 };
static int handled, counter, ready;

__attribute__((target("avx"))) static void handle(int number)
{
	char with[32];
	memset(with, number, sizeof with);
	__asm__ volatile("lock incl %1\n\t"
			 "vmovdqu %2, %%ymm1\n\t"
			 "vzeroupper"
			 : "+m"(handled), "+m"(counter)
			 : "m"(with)
			 : "xmm1", "cc", "memory");
	__asm__ volatile("lock; incl %0" : "+m"(handled) : : "cc", "memory");
}

__attribute__((target("avx"))) static int keeps(const char from[32])
{
	char to[32];
	__asm__ volatile("vmovdqu %2, %%ymm1\n\t"
			 "lock incl %1\n\t"
			 "vmovdqu %%ymm1, %0\n\t"
			 "vzeroupper"
			 : "=m"(to), "+m"(counter)
			 : "m"(*(const char(*)[32])from)
			 : "xmm1", "cc", "memory");
	return memcmp(from, to, sizeof to) == 0;
}

static void *work(void *arg)
{
	char from[32];
	int done;
	memset(from, 0x5a, sizeof from);
	__asm__ volatile("movl $1, %0" : "=m"(ready) : : "memory");
	do {
		if (!keeps(from))
			return arg;
		__asm__ volatile("movl %1, %0" : "=r"(done) : "m"(handled) : "memory");
	} while (done < SIGNALS);
	return NULL;
}

int main(void)
{
	pthread_t t;
	void *bad = NULL;
	int seen;
	if (!__builtin_cpu_supports("avx"))
		return 0;
	signal(SIGUSR1, handle);
	pthread_create(&t, NULL, work, &counter);
	do
		__asm__ volatile("movl %1, %0" : "=r"(seen) : "m"(ready) : "memory");
	while (!seen);
	for (int i = 0; i < SIGNALS; i++) {
		pthread_kill(t, SIGUSR1);
		do
			__asm__ volatile("movl %1, %0" : "=r"(seen) : "m"(handled));
		while (seen <= i);
	}
	pthread_join(t, &bad);
	return bad != NULL;
}
