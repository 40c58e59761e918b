/* SPDX-License-Identifier: MIT */
/* What is sent through a POSIX message queue comes before what is done on receiving it. */
#include <fcntl.h>
#include <mqueue.h>
#include <stdio.h>
#include <time.h>
#include "threads.h"

static mqd_t there, back;
int told;

static mqd_t make(const char *kind)
{
	char name[64];
	struct mq_attr size = {.mq_maxmsg = 2, .mq_msgsize = 8};
	snprintf(name, sizeof name, "/deadheat-%d-%s", (int)getpid(), kind);
	mqd_t made = mq_open(name, O_CREAT | O_RDWR, 0600, &size);
	mq_unlink(name);
	return made;
}

static void one(void)
{
	char text[8] = "x";
	struct timespec until = {.tv_sec = 4000000000};
	told = 1;
	mq_send(there, text, 1, 0);
	mq_timedreceive(back, text, sizeof text, NULL, &until);
	told = 3;
}

static void two(void)
{
	char text[8];
	unsigned priority;
	struct timespec until = {.tv_sec = 4000000000};
	mq_receive(there, text, sizeof text, &priority);
	told = 2;
	mq_timedsend(back, text, 1, 5, &until);
}

int main(void)
{
	there = make("there");
	back = make("back");
	if (there < 0 || back < 0)
		return 0; /* not to be had here */
	run_threads(2, one, two);
	return 0;
}
