/* SPDX-License-Identifier: MIT */
/* Starting programs and waiting for child processes: what is told of them is written. Who
 * starts one comes before who is told of its end, by a signal (sigsend.h) or here. */
#define _GNU_SOURCE
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include "runtime/intercept/real.h"
#include "runtime/intercept/sigsend.h"
#include "runtime/intercept/touch.h"

/* (What else happens in the child is the C library's; process.c.) */
#define SPAWN(name)                                                                      \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT int name(                                                              \
	    pid_t *child, const char *path, const posix_spawn_file_actions_t *actions,   \
	    const posix_spawnattr_t *attr, char *const argv[], char *const envp[])       \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		dh_reads_text(path, pc);                                                 \
		dh_signal_sending(SIGCHLD);                                              \
		int r = DH_REAL(name)(child, path, actions, attr, argv, envp);           \
		if (r == 0)                                                              \
			DH_WRITES_OBJECT(child, pc);                                     \
		return r;                                                                \
	}
SPAWN(posix_spawn)
SPAWN(posix_spawnp)

/* Of the end of a child. */
static void told(const int *status, uint64_t pc)
{
	dh_signal_received(SIGCHLD);
	DH_WRITES_OBJECT(status, pc);
}

DH_REAL_WANT(wait);
DH_EXPORT pid_t wait(int *status)
{
	pid_t child = DH_REAL(wait)(status);
	if (child > 0)
		told(status, DH_CALLER());
	return child;
}

DH_REAL_WANT(waitpid);
DH_EXPORT pid_t waitpid(pid_t which, int *status, int options)
{
	pid_t child = DH_REAL(waitpid)(which, status, options);
	if (child > 0)
		told(status, DH_CALLER());
	return child;
}

DH_REAL_WANT(wait3);
DH_EXPORT pid_t wait3(int *status, int options, struct rusage *use)
{
	uint64_t pc = DH_CALLER();
	pid_t child = DH_REAL(wait3)(status, options, use);
	if (child > 0) {
		told(status, pc);
		DH_WRITES_OBJECT(use, pc);
	}
	return child;
}

DH_REAL_WANT(wait4);
DH_EXPORT pid_t wait4(pid_t which, int *status, int options, struct rusage *use)
{
	uint64_t pc = DH_CALLER();
	pid_t child = DH_REAL(wait4)(which, status, options, use);
	if (child > 0) {
		told(status, pc);
		DH_WRITES_OBJECT(use, pc);
	}
	return child;
}

DH_REAL_WANT(waitid);
DH_EXPORT int waitid(idtype_t kind, id_t which, siginfo_t *info, int options)
{
	int r = DH_REAL(waitid)(kind, which, info, options);
	if (r == 0) {
		dh_signal_received(SIGCHLD);
		DH_WRITES_OBJECT(info, DH_CALLER());
	}
	return r;
}
