/* SPDX-License-Identifier: MIT */
/* Addresses of sockets as numbers; see addresses.h. */
#include "runtime/addresses.h"
#include "base/kernel.h"

size_t dh_address_set(union dh_address *to, const void *from, size_t size)
{
	size = DH_MIN(size, sizeof *to);
	dh_zero(to, sizeof *to);
	dh_copy(to, from, size);
	return size;
}

bool dh_address_ask(long call, int fd, union dh_address *to, size_t *size)
{
	int room = sizeof *to;
	dh_zero(to, sizeof *to);
	bool known = DH_KERNEL_3(call, fd, to, &room) == 0;
	*size = DH_MIN((size_t)room, sizeof *to);
	return known;
}

/* The last four bytes, of either family: the same for an address of version 4 and for the
 * one of version 6 that stands for it. */
static uint32_t host_of(const union dh_address *a)
{
	return a->any.sa_family == AF_INET ? a->in4.sin_addr.s_addr
					   : a->in6.sin6_addr.s6_addr32[3];
}

/* Who connects to no host (0.0.0.0, ::) gets to its own. */
uint64_t dh_address_end(const union dh_address *a, const union dh_address *peer)
{
	uint32_t host = host_of(a);
	return (uint64_t)(host ? host : host_of(peer)) << 16 | a->in4.sin_port;
}

uint64_t dh_address_path(const union dh_address *a, size_t size)
{
	uint64_t h = 0;
	size_t start = offsetof(struct sockaddr_un, sun_path);
	for (size_t i = start; i < DH_MIN(size, sizeof a->path); i++) {
		char c = a->path.sun_path[i - start];
		if (i > start && !c)
			break; /* abstract names begin with a zero */
		h = c == '/' ? 0 : dh_mix(h + (uint8_t)c + 1);
	}
	return h;
}
