/* SPDX-License-Identifier: MIT */
/* Who has waited for one of two posts destroys the semaphore; the other post has no
 * order with that. */
#include <semaphore.h>
#include "threads.h"

static invisible_step_t step;
static sem_t s;

static void post(void)
{
	invisible_await(&step, 1);
	sem_post(&s); // race: a
	invisible_advance(&step);
}

static void wait_and_end(void)
{
	sem_wait(&s);
	invisible_advance(&step);
	invisible_await(&step, 2);
	sem_destroy(&s); // race: b
}

int main(void)
{
	sem_init(&s, 0, 1);
	run_threads(2, post, wait_and_end);
	return 0;
}
