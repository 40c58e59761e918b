/* SPDX-License-Identifier: MIT */
/* Messages and semaphores of System V: a message, a semaphore as a lock, and one that is
 * waited for to be zero. */
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include "threads.h"

enum { LOCK, LEFT, SEMAPHORES };
struct message {
	long type;
	char text[8];
};

static int queue, set;
int sent, counted, parts[2];

static void change(unsigned short which, short by)
{
	struct sembuf step = {.sem_num = which, .sem_op = by};
	semop(set, &step, 1);
}

static void work(int part)
{
	parts[part] = 1;
	change(LEFT, -1);
	change(LOCK, -1);
	counted++;
	change(LOCK, 1);
}

static void one(void)
{
	struct message m = {1, "x"};
	sent = 1;
	msgsnd(queue, &m, sizeof m.text, 0);
	work(0);
}

static void two(void)
{
	struct message m;
	msgrcv(queue, &m, sizeof m.text, 0, 0);
	sent = 2;
	work(1);
}

static void three(void)
{
	change(LEFT, 0);
	parts[0] = parts[1] = 2;
}

int main(void)
{
	unsigned short values[SEMAPHORES] = {1, 2};
	queue = msgget(IPC_PRIVATE, 0600);
	set = semget(IPC_PRIVATE, SEMAPHORES, 0600);
	if (queue < 0 || set < 0)
		return 0; /* not to be had here */
	semctl(set, 0, SETALL, values);
	run_threads(3, one, two, three);
	msgctl(queue, IPC_RMID, NULL);
	semctl(set, 0, IPC_RMID);
	return 0;
}
