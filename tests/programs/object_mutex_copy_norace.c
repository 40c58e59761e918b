/* SPDX-License-Identifier: MIT */
/* A structure with its mutex in it is copied while that mutex is held: the next one
 * to lock it comes after. */
#include "threads.h"

static struct account {
	pthread_mutex_t m;
	int sum;
} account = {PTHREAD_MUTEX_INITIALIZER, 0};
static struct account copies[3];
static atomic_int next;

static void copy(void)
{
	pthread_mutex_lock(&account.m);
	account.sum++;
	copies[atomic_fetch_add(&next, 1)] = account;
	pthread_mutex_unlock(&account.m);
}

int main(void)
{
	run_threads(3, copy, copy, copy);
	return copies[0].sum + copies[1].sum + copies[2].sum - 6;
}
