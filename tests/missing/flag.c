/* SPDX-License-Identifier: MIT */
/* A library that is not instrumented raises a flag, and the program itself looks at it
 * before and after: plainly, or, with ATOMIC, by atomic reads. What was written before is
 * read after that. With KEPT no argument leads the library to the flag; with GLOBAL the
 * program says so. The one race is that on `other`. */
#include <pthread.h>
#include "../programs/invisible.h"
#include "deadheat.h"
#include "inside.h"

static volatile int flag;
static int data, other;
static invisible_step_t step;

static void *produce(void *unused)
{
	invisible_await(&step, 1);
	data = 1; // data: a
#ifdef GLOBAL
	DEADHEAT_GLOBAL(flag);
#endif
#ifdef KEPT
	inside_raise_kept();
#else
	inside_raise(&flag);
#endif
	invisible_advance(&step);
	other = 1; // race: a
	return unused;
}

static int look(void)
{
#ifdef ATOMIC
	return __atomic_load_n(&flag, __ATOMIC_ACQUIRE);
#else
	return flag;
#endif
}

int main(void)
{
	pthread_t t;
	int sum;
	inside_keep(&flag);
	pthread_create(&t, NULL, produce, NULL);
	sum = look();
	invisible_advance(&step);
	invisible_await(&step, 2);
	sum += look();
	sum += data;  // data: b
	sum += other; // race: b
	pthread_join(t, NULL);
	return sum > 3;
}
