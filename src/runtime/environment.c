/* SPDX-License-Identifier: MIT */
/*
 * libc's own list of the environment where it is set up already; before that (the
 * runtime may be entered earlier than libc's initialisation) the same list where the
 * kernel has put it, above the first frame of the stack; or else what /proc shows.
 */
#include "runtime/environment.h"
#include "base/kernel.h"
#include "runtime/text.h"

#include <linux/fcntl.h>
#include <sys/auxv.h>

extern char **environ;
extern uintptr_t *__libc_stack_end __attribute__((weak)); /* the dynamic loader's */

/* How many arguments there are, these, NULL, the environment, NULL. */
static char **entries(void)
{
	if (environ || !&__libc_stack_end || !__libc_stack_end)
		return environ;
	return (char **)(__libc_stack_end + 1 + *__libc_stack_end + 1);
}

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
	char **list = entries();
	if (getauxval(AT_SECURE))
		return NULL;
	if (list) {
		for (char **e = list; *e && !found; e++)
			found = value_of(*e, name);
		return found;
	}
	const struct dh_text *all = from_kernel();
	for (size_t at = 0; at < all->len && !found;
	     at += dh_text_length(all->at + at) + 1)
		found = value_of(all->at + at, name);
	return found;
}

/* ---- LD_PRELOAD ---- */

static bool contains(const char *s, size_t len, const char *what)
{
	size_t n = dh_text_length(what);
	for (size_t i = 0; i + n <= len; i++)
		if (dh_text_begins(s + i, what))
			return true;
	return false;
}

/* Lists are parted by colons or spaces; a part keeps what stands before it. */
static bool parts(char c)
{
	return c == ':' || c == ' ';
}

static void remove_ours(char *list)
{
	char *to = list;
	for (const char *at = list; *at;) {
		size_t len = 0;
		while (at[len] && !parts(at[len]))
			len++;
		bool ours = contains(at, len, "/libdeadheat-fasttrack.so") ||
			    contains(at, len, "/names/libtsan.so.");
		if (!ours && to != list)
			*to++ = ':';
		for (size_t i = 0; !ours && i < len; i++)
			*to++ = at[i];
		at += len;
		while (parts(*at))
			at++;
	}
	*to = '\0';
}

void dh_environment_tidy(void)
{
	static const char name[] = "LD_PRELOAD";
	char **to = dh_environment_get("DEADHEAT_HELPER") ? entries() : NULL;
	for (char **e = to; e && *e; e++) {
		char *list = (char *)value_of(*e, name);
		if (list && contains(list, dh_text_length(list), "/libdeadheat-"))
			remove_ours(list);
		if (!list || *list)
			*to++ = *e;
	}
	if (to)
		*to = NULL;
}
