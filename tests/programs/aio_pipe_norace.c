/* SPDX-License-Identifier: MIT */
/* What is read out of a pipe, or written into it, asynchronously: alone, and in a list. */
#include <aio.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "threads.h"

enum { TIMES = 2 };

static int to[2], from[2];
int told, answered;

static void await_end(struct aiocb *control)
{
	const struct aiocb *all[] = {control};
	while (aio_error(control) == EINPROGRESS)
		aio_suspend(all, 1, NULL);
	if (aio_return(control) != 1)
		_exit(1);
}

static void plainly(void)
{
	char c;
	for (int i = 0; i < TIMES; i++) {
		told = 1;
		if (write(to[1], "x", 1) != 1 || read(from[0], &c, 1) != 1)
			_exit(1);
		answered++;
	}
}

static void by_itself(void)
{
	char c = 'x';
	struct aiocb in = {.aio_fildes = to[0], .aio_buf = &c, .aio_nbytes = 1};
	struct aiocb out = {.aio_fildes = from[1], .aio_buf = &c, .aio_nbytes = 1};
	struct aiocb *list[] = {&in};
	aio_read(&in);
	await_end(&in);
	told++;
	answered = 1;
	aio_write(&out);
	await_end(&out);
	memset(&in, 0, sizeof in);
	in.aio_fildes = to[0];
	in.aio_buf = &c;
	in.aio_nbytes = 1;
	in.aio_lio_opcode = LIO_READ;
	if (lio_listio(LIO_WAIT, list, 1, NULL))
		_exit(1);
	told++;
	await_end(&in);
	if (write(from[1], "y", 1) != 1)
		_exit(1);
}

int main(void)
{
	if (pipe(to) || pipe(from))
		return 1;
	run_threads(2, plainly, by_itself);
	return 0;
}
