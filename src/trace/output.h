/* SPDX-License-Identifier: MIT */
/*
 * A file that appears whole or not at all: what is written goes to a temporary file
 * in the folder of the target, and takes its name and place at the end. Standard
 * output ("-"), and whatever exists and is no regular file (a pipe, a device), is
 * written to directly.
 *
 * Writes are not buffered here. Not for concurrent use. Allocates.
 */
#ifndef DH_TRACE_OUTPUT_H
#define DH_TRACE_OUTPUT_H

#include "base/base.h"

struct dh_output {
	int fd;
	bool own;	 /* fd is ours to close */
	char *target;	 /* what the temporary file becomes; NULL: written directly */
	char *temporary; /* from malloc, like target */
};

/* 0, or a negative errno value; then nothing is left to close. */
int dh_output_open(struct dh_output *o, const char *path);

/* Writes all of it. 0, or a negative errno value. */
int dh_output_write(struct dh_output *o, const void *data, size_t n);

/* Ends it: with keep the target is there, complete; without, as if nothing had been.
 * 0, or a negative errno value, and then the target is as it was. */
int dh_output_close(struct dh_output *o, bool keep);

#endif
