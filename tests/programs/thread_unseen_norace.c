/* SPDX-License-Identifier: MIT */
/* The C library makes a thread for a timer, without a call that could be seen. It comes
 * after what was before, and passes order on. */
#include <semaphore.h>
#include <signal.h>
#include <time.h>

static sem_t s;
int x;

static void tick(union sigval value)
{
	++*(int *)value.sival_ptr;
	sem_post(&s);
}

int main(void)
{
	struct sigevent event = {.sigev_notify = SIGEV_THREAD};
	struct itimerspec soon = {.it_value = {.tv_nsec = 1}};
	timer_t timer;

	sem_init(&s, 0, 0);
	event.sigev_notify_function = tick;
	event.sigev_value.sival_ptr = &x;
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	x = 1;
	timer_settime(timer, 0, &soon, NULL);
	sem_wait(&s);
	x++;
	return x == 3 ? 0 : 1;
}
