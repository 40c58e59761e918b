/* SPDX-License-Identifier: MIT */
/* Double-checked locking, the right way: the pointer is acquired. */
#include "threads.h"

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int object;
static int *_Atomic instance;

static void use(void)
{
	int *p = atomic_load_explicit(&instance, memory_order_acquire);

	if (!p) {
		pthread_mutex_lock(&m);
		p = atomic_load_explicit(&instance, memory_order_relaxed);
		if (!p) {
			object = 42;
			p = &object;
			atomic_store_explicit(&instance, p, memory_order_release);
		}
		pthread_mutex_unlock(&m);
	}
	if (*p != 42)
		_exit(1);
}

int main(void)
{
	run_threads(3, use, use, use);
	return 0;
}
