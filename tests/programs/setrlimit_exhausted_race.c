/* SPDX-License-Identifier: MIT */
/* A program uses up the address space that it has allowed itself, and goes on with what takes
 * none: it is watched as before. */
#include <pthread.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum { LOCKS = 100000, MIB = 1 << 20 };
static pthread_mutex_t locks[LOCKS];
static pthread_barrier_t used_up;
int x;

static void *work(void *arg)
{
	pthread_barrier_wait(&used_up);
	for (int i = 0; arg && i < LOCKS; i++) {
		pthread_mutex_lock(&locks[i]);
		pthread_mutex_unlock(&locks[i]);
	}
	x = 1; // race: a b
	return NULL;
}

static void use_up(void)
{
	for (size_t size = 64 * MIB; size >= 4096; size /= 2)
		while (mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) !=
		       MAP_FAILED)
			;
}

int main(void)
{
	const struct rlimit tight = {256 * MIB, RLIM_INFINITY};
	pthread_t t, u;

	pthread_barrier_init(&used_up, NULL, 3);
	setrlimit(RLIMIT_AS, &tight);
	pthread_create(&t, NULL, work, NULL);
	pthread_create(&u, NULL, work, &u);
	use_up();
	pthread_barrier_wait(&used_up);
	pthread_join(t, NULL);
	pthread_join(u, NULL);
	return 0;
}
