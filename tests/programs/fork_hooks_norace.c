/* SPDX-License-Identifier: MIT */
/* A fork past the C library, told by hooks, while a thread is busy with an atomic. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

void __sanitizer_syscall_pre_impl_fork(void);
void __sanitizer_syscall_post_impl_fork(long pid);

static int counter;

static void *count(void *arg)
{
	for (;;)
		__atomic_add_fetch(&counter, 1, __ATOMIC_SEQ_CST);
	return arg;
}

int main(void)
{
	pthread_t t;

	pthread_create(&t, NULL, count, NULL);
	for (int i = 0; i < 20; i++) {
		__sanitizer_syscall_pre_impl_fork();
		long pid = syscall(SYS_fork);
		__sanitizer_syscall_post_impl_fork(pid);
		if (pid == 0) {
			__atomic_add_fetch(&counter, 1, __ATOMIC_SEQ_CST);
			exit(0);
		}
		waitpid((pid_t)pid, NULL, 0);
	}
	return 0;
}
