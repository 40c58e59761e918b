/* SPDX-License-Identifier: MIT */
/*
 * libc's own copy of the environment where it is set up already; before that (the
 * runtime may be entered earlier than libc's initialisation) what the kernel shows.
 */
#include "runtime/environment.h"
#include "base/kernel.h"
#include "runtime/text.h"

#include <linux/fcntl.h>

extern char **environ;

/* name's value in NAME=value, or NULL. */
static const char *value_of(const char *entry, const char *name)
{
	size_t n = dh_text_length(name);
	return dh_text_begins(entry, name) && entry[n] == '=' ? entry + n + 1 : NULL;
}

/* All of /proc/self/environ, kept for ever; empty where it cannot be read. */
static struct dh_text *from_kernel(void)
{
	static struct dh_text all;
	if (all.cap)
		return &all;
	dh_text_c(&all);
	char part[512];
	long n, fd = DH_KERNEL_3(__NR_openat, AT_FDCWD, "/proc/self/environ", O_CLOEXEC);
	while (fd >= 0 && (n = DH_KERNEL_3(__NR_read, fd, part, sizeof part)) > 0)
		dh_text_bytes(&all, part, (size_t)n);
	if (fd >= 0)
		DH_KERNEL_1(__NR_close, fd);
	dh_text_c(&all);
	return &all;
}

const char *dh_environment_get(const char *name)
{
	const char *found = NULL;
	if (environ) {
		for (char **e = environ; *e && !found; e++)
			found = value_of(*e, name);
		return found;
	}
	const struct dh_text *all = from_kernel();
	for (size_t at = 0; at < all->len && !found;
	     at += dh_text_length(all->at + at) + 1)
		found = value_of(all->at + at, name);
	return found;
}
