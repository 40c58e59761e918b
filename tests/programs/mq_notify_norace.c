/* SPDX-License-Identifier: MIT */
/* Who sends a message comes before who gets the signal that tells of it. */
#include <fcntl.h>
#include <mqueue.h>
#include <signal.h>
#include "threads.h"

static mqd_t queue;
static sigset_t told;
int x;

static void one(void)
{
	x = 1;
	mq_send(queue, "x", 1, 0);
}

static void two(void)
{
	int number;
	sigwait(&told, &number);
	x++;
}

int main(void)
{
	struct mq_attr few = {.mq_maxmsg = 1, .mq_msgsize = 8};
	struct sigevent by = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
	queue = mq_open("/deadheat-mq-notify", O_RDWR | O_CREAT, 0600, &few);
	mq_unlink("/deadheat-mq-notify");
	sigemptyset(&told);
	sigaddset(&told, SIGUSR1);
	pthread_sigmask(SIG_BLOCK, &told, NULL);
	if (queue < 0 || mq_notify(queue, &by))
		return 0; /* not to be had here */
	run_threads(2, one, two);
	return 0;
}
