/* SPDX-License-Identifier: MIT */
/* An address in words. */
#include <arpa/inet.h>
#include "threads.h"

static char text[64];
static invisible_step_t step;

static void one(void)
{
	text[0] = 1; // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	struct in_addr host = {0x0100007f};
	inet_ntop(AF_INET, &host, text, sizeof text); // race: b
}

int main(void)
{
	run_threads(2, one, two);
	return 0;
}
