/* SPDX-License-Identifier: MIT */
/*
 * Addresses of sockets, as numbers by which the two ends of a connection find each other:
 * who asked for it knows the address that it was given, who accepted it the one that the
 * kernel tells, and the two may be written differently.
 *
 * Called by fds.c. No state, no allocation, any context; errno is left alone.
 */
#ifndef DH_RUNTIME_ADDRESSES_H
#define DH_RUNTIME_ADDRESSES_H

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include "base/base.h"

union dh_address {
	struct sockaddr any;
	struct sockaddr_in in4;
	struct sockaddr_in6 in6;
	struct sockaddr_un path;
};

/* As the program has given it, of so many bytes; how many there are of it. */
size_t dh_address_set(union dh_address *to, const void *from, size_t size);

/* Asks the kernel, by getsockname or getpeername; false where it does not know. */
bool dh_address_ask(long call, int fd, union dh_address *to, size_t *size);

/* Host and port of one end of a connection over the network. */
uint64_t dh_address_end(const union dh_address *a, const union dh_address *peer);

/* The name of a Unix socket, without the folder: that may be given from the root or from
 * anywhere. size is that of the address. */
uint64_t dh_address_path(const union dh_address *a, size_t size);

#endif
