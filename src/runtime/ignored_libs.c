/* SPDX-License-Identifier: MIT */
/* See ignored_libs.h. The file is checked by others: here all that is no such rule is
 * passed over. */
#include "runtime/ignored_libs.h"
#include "base/glob.h"
#include "base/kernel.h"
#include "runtime/flags.h"
#include "runtime/hooks.h"
#include "runtime/text.h"

#include <linux/fcntl.h>

struct pattern {
	const char *at;
	size_t len;
};

static struct dh_vec(struct pattern) patterns;
static bool known;

static bool blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

static void take_line(const char *at, const char *end)
{
	static const char kind[] = "called_from_lib:";
	while (at < end && blank(*at))
		at++;
	while (end > at && blank(end[-1]))
		end--;
	size_t n = sizeof kind - 1, len = (size_t)(end - at);
	if (len > n && dh_same(at, kind, n))
		dh_vec_push(&patterns, (struct pattern){at + n, len - n});
}

/* The text stays where it is. */
static void take_text(const char *text)
{
	while (*text) {
		const char *end = text;
		while (*end && *end != '\n')
			end++;
		take_line(text, end);
		text = *end ? end + 1 : end;
	}
}

static void read_file(const char *path)
{
	static struct dh_text all;
	char part[512];
	long n, fd = DH_KERNEL_3(__NR_openat, AT_FDCWD, path, O_CLOEXEC);
	while (fd >= 0 && (n = DH_KERNEL_3(__NR_read, fd, part, sizeof part)) > 0)
		dh_text_bytes(&all, part, (size_t)n);
	if (fd >= 0)
		DH_KERNEL_1(__NR_close, fd);
	take_text(dh_text_c(&all));
}

bool dh_ignored_lib(const char *path)
{
	if (!known) {
		known = true;
		if (*dh_flags.suppressions)
			read_file(dh_flags.suppressions);
		take_text(dh_hook_suppressions());
	}
	for (size_t i = 0; i < patterns.len; i++)
		if (dh_glob(patterns.at[i].at, patterns.at[i].len, path, false))
			return true;
	return false;
}
