/* SPDX-License-Identifier: MIT */
// flags: -D_GNU_SOURCE
// run: --verbose
// message: on memory at 0x
// message: is byte 8 of memory that is mapped at 0x
/* Memory that processes share is no file, though the kernel has a name for it. */
#include <sys/mman.h>
#include <sys/shm.h>
#include "threads.h"

enum { SIZE = 1 << 16 };
static char *memory, *segment;
static invisible_step_t step;

static void one(void)
{
	memory[8] = 1;	// race: a
	segment[8] = 1; // race: a
	invisible_advance(&step);
}

static void two(void)
{
	invisible_await(&step, 1);
	memory[8] = 2;	// race: b
	segment[8] = 2; // race: b
}

int main(void)
{
	int id = shmget(IPC_PRIVATE, SIZE, 0600);
	memory = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	segment = shmat(id, NULL, 0);
	shmctl(id, IPC_RMID, NULL);
	run_threads(2, one, two);
	return 0;
}
