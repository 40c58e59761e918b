/* SPDX-License-Identifier: MIT */
/* An event counter. */
#include <sys/eventfd.h>
#include "threads.h"

static int event;
static int data;
int seen;

static void one(void)
{
	data = 1;
	eventfd_write(event, 1);
}

static void two(void)
{
	eventfd_t value;
	eventfd_read(event, &value);
	seen = data;
}

int main(void)
{
	event = eventfd(0, 0);
	run_threads(2, one, two);
	return 0;
}
