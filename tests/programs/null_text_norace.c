/* SPDX-License-Identifier: MIT */
// flags: -Wno-nonnull
/* Functions that answer NULL in place of a text with an error go on doing so. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static int wrong;
static const char *volatile none;

#define WANT(call, error)                                                                \
	do {                                                                             \
		errno = 0;                                                               \
		if ((call) != -1 || errno != (error))                                    \
			wrong++;                                                         \
	} while (0)

int main(void)
{
	struct stat s;

	WANT(unsetenv(none), EINVAL);
	WANT(setenv(none, "x", 1), EINVAL);
	WANT(open(none, O_RDONLY), EFAULT);
	WANT(access(none, R_OK), EFAULT);
	WANT(stat(none, &s), EFAULT);
	WANT(unlink(none), EFAULT);
	WANT(rename(none, none), EFAULT);
	WANT(chdir(none), EFAULT);
	WANT(mkdir(none, 0), EFAULT);
	return wrong;
}
