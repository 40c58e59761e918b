/* SPDX-License-Identifier: MIT */
// skip: dropin
/* A lock taken by an exchange and given back by a move, of one byte each; the lock word
 * is looked at by a move that widens. */
#include <pthread.h>

static struct {
	char before, lock, behind;
} all;
static int data;

static void take(void)
{
	unsigned seen;
	char old = 1;
	for (;;) {
		__asm__ volatile("xchgb %0, %1" : "+q"(old), "+m"(all.lock) : : "memory");
		if (!old)
			return;
		do {
			__asm__ volatile("rep; nop");
			__asm__ volatile("movzbl %1, %0" : "=r"(seen) : "m"(all.lock));
		} while (seen);
	}
}

static void *work(void *arg)
{
	for (int i = 0; i < 200; i++) {
		take();
		data++;
		all.before++;
		__asm__ volatile("movb $0, %0" : "=m"(all.lock) : : "memory");
	}
	return arg;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, work, NULL);
	work(NULL);
	pthread_join(t, NULL);
	return data != 400;
}
