/* SPDX-License-Identifier: MIT */
/* The Account benchmark (RDIT, Figure 4.6): two threads pay in, the main thread waits for
 * them with calls of a library that is not instrumented. */
#include <pthread.h>
#include <sched.h>
#include "alive.h"
#include "invisible.h"

static invisible_step_t step;
static struct worker workers[2];
int balances[2], total;

static void *pay_in(void *arg)
{
	int which = arg != NULL;

	if (which == 0) {
		balances[0] += 100; // line 4
		total += 100; // line 5
		worker_ends(&workers[0]);
		invisible_advance(&step);
	} else {
		invisible_await(&step, 1);
		balances[1] += 200; // line 7
		total += 200; // line 8
		worker_ends(&workers[1]);
	}
	return arg;
}

int main(void)
{
	pthread_t t[2];
	int sum = 0;

	pthread_create(&t[0], NULL, pay_in, NULL);
	pthread_create(&t[1], NULL, pay_in, &total);
	for (int i = 0; i < 2; i++)
		while (worker_is_alive(&workers[i]))
			sched_yield();
	sum += balances[0]; // line 16
	sum += balances[1]; // line 17
	sum -= total; // line 19
	pthread_join(t[0], NULL);
	pthread_join(t[1], NULL);
	return sum;
}
