/* SPDX-License-Identifier: MIT */
/*
 * The bytes of a trace, from a file descriptor or from memory, as a window that
 * moves forward. Used by the text and the binary reader alike; needs no seek, so
 * pipes work. An input that is kept can be read once more.
 *
 * Not for concurrent use. Allocates the window; it grows to what is asked for.
 */
#ifndef DH_TRACE_INPUT_H
#define DH_TRACE_INPUT_H

#include "base/base.h"

struct dh_input {
	const char *at;	 /* the window: first byte not yet taken */
	const char *end; /* one past the last byte there is so far */
	bool eof;	 /* nothing comes after end */
	int error;	 /* errno of a failed read, or 0 */
	uint64_t passed; /* bytes of the input before `at` */
	uint64_t total;	 /* size of the input; 0: not known */
	int fd;		 /* -1: memory */
	int kept;	 /* the temporary file that stands for it, or -1 */
	int64_t start;	 /* where it begins in the file, once kept */
	char *buffer;	 /* NULL: memory */
	size_t buffer_size;
};

/* Reads from fd, which stays the caller's. */
void dh_input_open_fd(struct dh_input *in, int fd);

/* Reads the caller's memory in place. */
void dh_input_open_memory(struct dh_input *in, const void *data, size_t len);

void dh_input_close(struct dh_input *in);

/* Reads until the window has n bytes or the input ends. Returns how many there are,
 * which is less than n only at the end or after a failed read (see error). The
 * window may move: pointers into it are void. */
size_t dh_input_want(struct dh_input *in, size_t n);

/* Makes sure that the input can be read again: what comes from a pipe is put into a
 * temporary file. False where that fails, with the reason in error. */
bool dh_input_keep(struct dh_input *in);

/* Back to the first byte, of an input that was kept. */
bool dh_input_rewind(struct dh_input *in);

DH_INLINE size_t dh_input_have(const struct dh_input *in)
{
	return (size_t)(in->end - in->at);
}

/* Takes n bytes, which must be there, out of the window. */
DH_INLINE void dh_input_take(struct dh_input *in, size_t n)
{
	in->at += n;
	in->passed += n;
}

#endif
