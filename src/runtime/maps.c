/* SPDX-License-Identifier: MIT */
/* See maps.h. A line is at most a path and some numbers long; the buffer has room for
 * it, and a longer one is cut. */
#include "runtime/maps.h"
#include "base/mem.h"
#include "base/kernel.h"

#include <linux/fcntl.h>

enum { ROOM = 16 << 10 };

bool dh_maps_open(struct dh_maps *m)
{
	*m = (struct dh_maps){0};
	m->fd = DH_KERNEL_3(__NR_openat, AT_FDCWD, "/proc/self/maps", O_CLOEXEC);
	if (m->fd < 0)
		return false;
	m->buffer = dh_mem_alloc(ROOM);
	return true;
}

void dh_maps_close(struct dh_maps *m)
{
	DH_KERNEL_1(__NR_close, m->fd);
	dh_mem_free(m->buffer, ROOM);
}

/* The next line, ended by a zero; NULL at the end. */
static char *next_line(struct dh_maps *m)
{
	size_t seen = m->from;
	for (;;) {
		for (; seen < m->to; seen++) {
			if (m->buffer[seen] != '\n')
				continue;
			char *line = m->buffer + m->from;
			m->buffer[seen] = '\0';
			m->from = seen + 1;
			return line;
		}
		for (size_t i = m->from; m->from && i < m->to; i++)
			m->buffer[i - m->from] = m->buffer[i];
		seen -= m->from;
		m->to -= m->from;
		m->from = 0;
		if (m->to == ROOM)
			m->to = seen = ROOM / 2; /* cut: its start is what counts */
		long n = DH_KERNEL_3(__NR_read, m->fd, m->buffer + m->to, ROOM - m->to);
		if (n <= 0)
			return NULL;
		m->to += (size_t)n;
	}
}

static uint64_t number(char **at, unsigned base)
{
	uint64_t n = 0;
	for (;; ++*at) {
		char c = **at;
		unsigned digit = c >= '0' && c <= '9'	? (unsigned)(c - '0')
				 : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
							: 16;
		if (digit >= base)
			return n;
		n = n * base + digit;
	}
}

/* start-end rwxp offset major:minor inode   path */
bool dh_maps_next(struct dh_maps *m, struct dh_mapping *out)
{
	char *at = next_line(m);
	if (!at)
		return false;
	out->start = number(&at, 16);
	at += *at == '-';
	out->end = number(&at, 16);
	at += *at == ' ';
	out->executable = false;
	for (; *at && *at != ' '; at++)
		out->executable |= *at == 'x';
	at += *at == ' ';
	out->offset = number(&at, 16);
	at += *at == ' ';
	out->device = number(&at, 16) << 32;
	at += *at == ':';
	out->device |= number(&at, 16);
	at += *at == ' ';
	out->inode = number(&at, 10);
	while (*at == ' ')
		at++;
	out->path = at;
	return true;
}
