/* SPDX-License-Identifier: MIT */
/* Who waits for a semaphore, or for a message, of System V that is removed comes after who removes
 * it; and who asks for the value of a semaphore after who has set it. */
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include "threads.h"

static int queue, set;
int value_set, set_gone, queue_gone;

static void end(void)
{
	value_set = 1;
	semctl(set, 0, SETVAL, 1);
	set_gone = 1;
	semctl(set, 0, IPC_RMID);
	queue_gone = 1;
	msgctl(queue, IPC_RMID, NULL);
}

static void ask(void)
{
	int value;
	while ((value = semctl(set, 0, GETVAL)) == 0)
		;
	if (value == 1) /* it is not gone yet */
		value_set++;
}

static void wait_for_semaphore(void)
{
	struct sembuf step = {.sem_num = 0, .sem_op = -5};
	semop(set, &step, 1);
	set_gone++;
}

static void wait_for_message(void)
{
	struct {
		long type;
		char text[8];
	} m;
	msgrcv(queue, &m, sizeof m.text, 0, 0);
	queue_gone++;
}

int main(void)
{
	queue = msgget(IPC_PRIVATE, 0600);
	set = semget(IPC_PRIVATE, 1, 0600);
	if (queue < 0 || set < 0)
		return 0; /* not to be had here */
	semctl(set, 0, SETVAL, 0);
	run_threads(4, end, ask, wait_for_semaphore, wait_for_message);
	return 0;
}
