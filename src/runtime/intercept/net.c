/* SPDX-License-Identifier: MIT */
/* Names and addresses of hosts. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>
#include "runtime/intercept/real.h"
#include "runtime/intercept/touch.h"

static size_t address_size(int family)
{
	return family == AF_INET6 ? sizeof(struct in6_addr) : sizeof(struct in_addr);
}

DH_REAL_WANT(inet_ntop);
DH_EXPORT const char *inet_ntop(int family, const void *from, char *to, socklen_t room)
{
	uint64_t pc = DH_CALLER();
	dh_reads(from, address_size(family), pc);
	const char *got = DH_REAL(inet_ntop)(family, from, to, room);
	dh_writes_text(got, pc);
	return got;
}

DH_REAL_WANT(inet_pton);
DH_EXPORT int inet_pton(int family, const char *from, void *to)
{
	uint64_t pc = DH_CALLER();
	dh_reads_text(from, pc);
	int r = DH_REAL(inet_pton)(family, from, to);
	if (r > 0)
		dh_writes(to, address_size(family), pc);
	return r;
}

DH_REAL_WANT(inet_aton);
DH_EXPORT int inet_aton(const char *from, struct in_addr *to)
{
	uint64_t pc = DH_CALLER();
	dh_reads_text(from, pc);
	int r = DH_REAL(inet_aton)(from, to);
	if (r)
		DH_WRITES_OBJECT(to, pc);
	return r;
}

DH_REAL_WANT(inet_addr);
DH_EXPORT in_addr_t inet_addr(const char *from)
{
	dh_reads_text(from, DH_CALLER());
	return DH_REAL(inet_addr)(from);
}

/* The list that it makes is memory of the calling thread. */
static void has_resolved(struct addrinfo **to, uint64_t pc)
{
	DH_WRITES_OBJECT(to, pc);
	for (struct addrinfo *a = *to; a; a = a->ai_next) {
		DH_WRITES_OBJECT(a, pc);
		dh_writes(a->ai_addr, a->ai_addrlen, pc);
		dh_writes_text(a->ai_canonname, pc);
	}
}

DH_REAL_WANT(getaddrinfo);
DH_EXPORT int getaddrinfo(const char *host, const char *service,
			  const struct addrinfo *hints, struct addrinfo **to)
{
	uint64_t pc = DH_CALLER();
	dh_reads_text(host, pc);
	dh_reads_text(service, pc);
	DH_READS_OBJECT(hints, pc);
	dh_call_begin(pc);
	int r = DH_REAL(getaddrinfo)(host, service, hints, to);
	dh_call_end();
	if (r == 0)
		has_resolved(to, pc);
	return r;
}

DH_REAL_WANT(getnameinfo);
DH_EXPORT int getnameinfo(const struct sockaddr *from, socklen_t size, char *host,
			  socklen_t host_room, char *service, socklen_t service_room,
			  int flags)
{
	uint64_t pc = DH_CALLER();
	dh_reads(from, size, pc);
	int r = DH_REAL(getnameinfo)(from, size, host, host_room, service, service_room,
				     flags);
	if (r == 0 && host_room)
		dh_writes_text(host, pc);
	if (r == 0 && service_room)
		dh_writes_text(service, pc);
	return r;
}

DH_REAL_WANT(gethostname);
DH_EXPORT int gethostname(char *to, size_t room)
{
	int r = DH_REAL(gethostname)(to, room);
	if (r == 0)
		dh_writes_text(to, DH_CALLER());
	return r;
}

DH_REAL_WANT(if_indextoname);
DH_EXPORT char *if_indextoname(unsigned index, char to[IF_NAMESIZE])
{
	char *got = DH_REAL(if_indextoname)(index, to);
	dh_writes_text(got, DH_CALLER());
	return got;
}

DH_REAL_WANT(if_nametoindex);
DH_EXPORT unsigned if_nametoindex(const char *from)
{
	dh_reads_text(from, DH_CALLER());
	return DH_REAL(if_nametoindex)(from);
}

/* The list that it makes is memory of the calling thread. */
DH_REAL_WANT(getifaddrs);
DH_EXPORT int getifaddrs(struct ifaddrs **to)
{
	uint64_t pc = DH_CALLER();
	dh_call_begin(pc);
	int r = DH_REAL(getifaddrs)(to);
	dh_call_end();
	if (r)
		return r;
	DH_WRITES_OBJECT(to, pc);
	for (const struct ifaddrs *a = *to; a; a = a->ifa_next)
		DH_WRITES_OBJECT(a, pc);
	return r;
}

/* ---- entries ---- */

/* Those return memory of their own, overwritten by the next call. */
#define ENTRY(name, type, parameters, arguments, reads)                                  \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT struct type *name parameters                                           \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		reads;                                                                   \
		struct type *got = DH_REAL(name) arguments;                              \
		DH_WRITES_OBJECT(got, pc);                                               \
		return got;                                                              \
	}
ENTRY(gethostbyname, hostent, (const char *host), (host), dh_reads_text(host, pc))
ENTRY(gethostbyname2, hostent, (const char *host, int family), (host, family),
      dh_reads_text(host, pc))
ENTRY(gethostbyaddr, hostent, (const void *address, socklen_t size, int family),
      (address, size, family), dh_reads(address, size, pc))

/* And those write it where they are told to. Of a host that is not there the reason is
 * told too. */
static void has_found(const void *to, size_t size, void *const *found, int r,
		      const int *error, uint64_t pc)
{
	DH_WRITES_OBJECT(found, pc);
	if (r == 0 && *found)
		dh_writes(to, size, pc);
	else
		DH_WRITES_OBJECT(error, pc);
}

#define ENTRY_HERE(name, type, parameters, arguments, reads)                             \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT int name(JOIN parameters, struct type *restrict to,                    \
			   char *restrict texts, size_t room,                            \
			   struct type **restrict found)                                 \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		reads;                                                                   \
		int r = DH_REAL(name)(JOIN arguments, to, texts, room, found);           \
		has_found(to, sizeof *to, (void *const *)found, r, NULL, pc);            \
		return r;                                                                \
	}
#define HOST_HERE(name, parameters, arguments, reads)                                    \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT int name(JOIN parameters, struct hostent *restrict to,                 \
			   char *restrict texts, size_t room,                            \
			   struct hostent **restrict found, int *restrict error)         \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		reads;                                                                   \
		int r = DH_REAL(name)(JOIN arguments, to, texts, room, found, error);    \
		has_found(to, sizeof *to, (void *const *)found, r, error, pc);           \
		return r;                                                                \
	}
#define JOIN(...) __VA_ARGS__
HOST_HERE(gethostbyname_r, (const char *restrict host), (host), dh_reads_text(host, pc))
HOST_HERE(gethostbyname2_r, (const char *restrict host, int family), (host, family),
	  dh_reads_text(host, pc))
HOST_HERE(gethostbyaddr_r, (const void *restrict address, socklen_t size, int family),
	  (address, size, family), dh_reads(address, size, pc))
ENTRY_HERE(getservbyname_r, servent,
	   (const char *restrict service, const char *restrict protocol),
	   (service, protocol), (dh_reads_text(service, pc), dh_reads_text(protocol, pc)))
ENTRY_HERE(getservbyport_r, servent, (int port, const char *restrict protocol),
	   (port, protocol), dh_reads_text(protocol, pc))
ENTRY_HERE(getprotobyname_r, protoent, (const char *restrict protocol), (protocol),
	   dh_reads_text(protocol, pc))
