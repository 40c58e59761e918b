/* SPDX-License-Identifier: MIT */
// skip: dropin
/* Locks of one bit in an array of words: bts in an asm goto, whose operand is the array
 * and whose index reaches beyond the first word; btr gives it back. */
#include <pthread.h>

enum { LOCKS = 3 };
static const long bits[LOCKS] = {1, 40, 100};
static int words[4], data[LOCKS];

static int try(int *at, long bit)
{
	__asm__ goto("lock btsl %k1, (%0)\n\t"
		     "jc %l[taken]"
		     :
		     : "r"(at), "r"(bit)
		     : "cc", "memory"
		     : taken);
	return 1;
taken:
	return 0;
}

static void *work(void *arg)
{
	for (int i = 0; i < 150; i++) {
		while (!try(words, bits[i % LOCKS]))
			__asm__ volatile("pause");
		data[i % LOCKS]++;
		__asm__ volatile("lock; btrl %k1, %0"
				 : "+m"(words)
				 : "r"(bits[i % LOCKS])
				 : "cc", "memory");
	}
	return arg;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, work, NULL);
	work(NULL);
	pthread_join(t, NULL);
	return data[0] + data[1] + data[2] != 300;
}
