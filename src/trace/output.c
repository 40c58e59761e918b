/* SPDX-License-Identifier: MIT */
/* Output files of output.h. */
#define _GNU_SOURCE /* asprintf, mkostemp */
#include "trace/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The rights of the file that is replaced, or those that open() would give. */
static mode_t mode_for(const struct stat *old)
{
	if (old)
		return old->st_mode & 0777;
	mode_t mask = umask(0);
	umask(mask);
	return 0666 & ~mask;
}

static int open_temporary(struct dh_output *o, const struct stat *old)
{
	if (asprintf(&o->temporary, "%s.XXXXXX", o->target) < 0) {
		o->temporary = NULL;
		return -ENOMEM;
	}
	o->fd = mkostemp(o->temporary, O_CLOEXEC);
	if (o->fd < 0)
		return -errno;
	o->own = true;
	if (fchmod(o->fd, mode_for(old)) < 0) {
		int error = errno;
		close(o->fd);
		unlink(o->temporary);
		return -error;
	}
	return 0;
}

static int open_direct(struct dh_output *o, const char *path)
{
	o->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	o->own = true;
	return o->fd < 0 ? -errno : 0;
}

int dh_output_open(struct dh_output *o, const char *path)
{
	struct stat st;
	*o = (struct dh_output){.fd = STDOUT_FILENO};
	if (strcmp(path, "-") == 0)
		return 0;
	bool exists = stat(path, &st) == 0;
	if (exists && !S_ISREG(st.st_mode))
		return open_direct(o, path);
	/* A symbolic link stays one: the file that it leads to is replaced. */
	o->target = exists ? realpath(path, NULL) : strdup(path);
	int status = o->target ? open_temporary(o, exists ? &st : NULL) : -errno;
	if (status) {
		free(o->target);
		free(o->temporary);
	}
	return status;
}

int dh_output_write(struct dh_output *o, const void *data, size_t n)
{
	const char *from = data;
	while (n > 0) {
		ssize_t done = write(o->fd, from, n);
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0)
			return -errno;
		from += done;
		n -= (size_t)done;
	}
	return 0;
}

int dh_output_close(struct dh_output *o, bool keep)
{
	int status = 0;
	/* Some file systems report a full disk only here. */
	if (o->own && close(o->fd) < 0 && keep)
		status = -errno;
	if (o->target) {
		if (keep && !status && rename(o->temporary, o->target) < 0)
			status = -errno;
		if (!keep || status)
			unlink(o->temporary);
	}
	free(o->target);
	free(o->temporary);
	*o = (struct dh_output){.fd = -1};
	return status;
}
