/* SPDX-License-Identifier: MIT */
/*
 * Functions of which the C library has two generations that differ. A program linked by
 * `gcc -fsanitize=thread` has bound them to the sanitizer's library, which has no
 * generations; what is not in ours the C library would give it of the oldest one. So
 * these are here to pass the call on to the newest. Others of the kind are interposed
 * for their own sake elsewhere.
 */
#define _GNU_SOURCE
#include <glob.h>
#include <pthread.h>
#include <regex.h>
#include <sched.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include "runtime/abi.h"
#include "runtime/intercept/real.h"

DH_REAL_WANT(fmemopen);
DH_REAL_WANT(glob);
DH_REAL_WANT(glob64);
DH_REAL_WANT(posix_spawn);
DH_REAL_WANT(posix_spawnp);
DH_REAL_WANT(pthread_attr_getaffinity_np);
DH_REAL_WANT(regexec);
DH_REAL_WANT(sched_getaffinity);

DH_EXPORT FILE *fmemopen(void *buffer, size_t size, const char *mode)
{
	return DH_REAL(fmemopen)(buffer, size, mode);
}

DH_EXPORT int glob(const char *pattern, int flags, int (*failed)(const char *, int),
		   glob_t *found)
{
	return DH_REAL(glob)(pattern, flags, failed, found);
}

DH_EXPORT int glob64(const char *pattern, int flags, int (*failed)(const char *, int),
		     glob64_t *found)
{
	return DH_REAL(glob64)(pattern, flags, failed, found);
}

DH_EXPORT int posix_spawn(pid_t *pid, const char *path,
			  const posix_spawn_file_actions_t *actions,
			  const posix_spawnattr_t *attr, char *const argv[],
			  char *const envp[])
{
	return DH_REAL(posix_spawn)(pid, path, actions, attr, argv, envp);
}

DH_EXPORT int posix_spawnp(pid_t *pid, const char *file,
			   const posix_spawn_file_actions_t *actions,
			   const posix_spawnattr_t *attr, char *const argv[],
			   char *const envp[])
{
	return DH_REAL(posix_spawnp)(pid, file, actions, attr, argv, envp);
}

DH_EXPORT int pthread_attr_getaffinity_np(const pthread_attr_t *attr, size_t size,
					  cpu_set_t *set)
{
	return DH_REAL(pthread_attr_getaffinity_np)(attr, size, set);
}

/* Under another name here: the header has it with an array of variable length. */
DH_EXPORT int pass_regexec(const regex_t *regex, const char *text, size_t count,
			   regmatch_t *matches, int flags) __asm__("regexec");

int pass_regexec(const regex_t *regex, const char *text, size_t count,
		 regmatch_t *matches, int flags)
{
	return DH_REAL(regexec)(regex, text, count, matches, flags);
}

DH_EXPORT int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
	return DH_REAL(sched_getaffinity)(pid, size, set);
}
