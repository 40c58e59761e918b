/* SPDX-License-Identifier: MIT */
// skip: dropin
/* A ticket lock in assembly, in the style of kernels: the lock prefix is noted in a
 * table, and stands by itself. */
#include <pthread.h>

#define LOCK                                                                             \
	".pushsection .notes.locks,\"a\"\n\t"                                            \
	".balign 4\n\t"                                                                  \
	".long 671f - .\n\t"                                                             \
	".popsection\n"                                                                  \
	"671:\n\tlock; "

static struct {
	short next, serving;
} lock;
static int data;

static void take(void)
{
	short mine = 1, now;
	__asm__ volatile(LOCK "xaddw %0, %1" : "+r"(mine), "+m"(lock.next) : : "memory");
	do
		__asm__ volatile("movw %1, %0"
				 : "=r"(now)
				 : "m"(lock.serving)
				 : "memory");
	while (now != mine);
}

static void *work(void *arg)
{
	for (int i = 0; i < 100; i++) {
		take();
		data++;
		__asm__ volatile(LOCK "incw %0" : "+m"(lock.serving) : : "memory", "cc");
	}
	return arg;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, work, NULL);
	work(NULL);
	pthread_join(t, NULL);
	return data != 200;
}
