/* SPDX-License-Identifier: MIT */
/*
 * Functions of the C library that keep something in memory of its own from one call to
 * the next, and are not meant for several threads: two calls that nothing orders are a
 * race. Where the result is in that memory, it is what the call writes; else a variable
 * of ours stands for what is kept.
 *
 * Others of the kind are with their families: time.c, sort.c, string.c, net.c, system.c.
 */
#define _GNU_SOURCE
#include <getopt.h>
#include <grp.h>
#include <mntent.h>
#include <netdb.h>
#include <netinet/ether.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <utmp.h>
#include <utmpx.h>
#include "runtime/intercept/real.h"
#include "runtime/intercept/touch.h"

/* ---- random numbers ---- */

/* Reports name it. */
static char drand48_state;

#define NEXT_48(name, type)                                                              \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT type name(void)                                                        \
	{                                                                                \
		DH_WRITES_OBJECT(&drand48_state, DH_CALLER());                           \
		return DH_REAL(name)();                                                  \
	}
NEXT_48(drand48, double)
NEXT_48(lrand48, long)
NEXT_48(mrand48, long)

DH_REAL_WANT(srand48);
DH_EXPORT void srand48(long seed)
{
	DH_WRITES_OBJECT(&drand48_state, DH_CALLER());
	DH_REAL(srand48)(seed);
}

DH_REAL_WANT(seed48);
DH_EXPORT unsigned short *seed48(unsigned short seed[3])
{
	uint64_t pc = DH_CALLER();
	dh_reads(seed, 3 * sizeof *seed, pc);
	DH_WRITES_OBJECT(&drand48_state, pc);
	return DH_REAL(seed48)(seed);
}

DH_REAL_WANT(lcong48);
DH_EXPORT void lcong48(unsigned short settings[7])
{
	uint64_t pc = DH_CALLER();
	dh_reads(settings, 7 * sizeof *settings, pc);
	DH_WRITES_OBJECT(&drand48_state, pc);
	DH_REAL(lcong48)(settings);
}

/* ---- entries of the system's files ---- */

#define ENTRY(name, type, parameters, arguments)                                         \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT struct type *name parameters                                           \
	{                                                                                \
		struct type *got = DH_REAL(name) arguments;                              \
		DH_WRITES_OBJECT(got, DH_CALLER());                                      \
		return got;                                                              \
	}
ENTRY(getpwent, passwd, (void), ())
ENTRY(getgrent, group, (void), ())
ENTRY(getservent, servent, (void), ())
ENTRY(getservbyname, servent, (const char *service, const char *protocol),
      (service, protocol))
ENTRY(getservbyport, servent, (int port, const char *protocol), (port, protocol))
ENTRY(getprotoent, protoent, (void), ())
ENTRY(getprotobyname, protoent, (const char *protocol), (protocol))
ENTRY(getprotobynumber, protoent, (int number), (number))
ENTRY(getnetbyname, netent, (const char *network), (network))
ENTRY(getnetent, netent, (void), ())
ENTRY(gethostent, hostent, (void), ())
ENTRY(getutent, utmp, (void), ())
ENTRY(getutid, utmp, (const struct utmp *like), (like))
ENTRY(getutline, utmp, (const struct utmp *like), (like))
ENTRY(getutxent, utmpx, (void), ())
ENTRY(getutxid, utmpx, (const struct utmpx *like), (like))
ENTRY(getutxline, utmpx, (const struct utmpx *like), (like))
ENTRY(fgetpwent, passwd, (FILE * f), (f))
ENTRY(fgetgrent, group, (FILE * f), (f))
ENTRY(getmntent, mntent, (FILE * f), (f))
ENTRY(getdate, tm, (const char *text), (text))
ENTRY(ether_aton, ether_addr, (const char *text), (text))

/* ---- texts ---- */

#define TEXT(name, parameters, arguments)                                                \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT char *name parameters                                                  \
	{                                                                                \
		char *got = DH_REAL(name) arguments;                                     \
		dh_writes_text(got, DH_CALLER());                                        \
		return got;                                                              \
	}
TEXT(getlogin, (void), ())
TEXT(getusershell, (void), ())
TEXT(ether_ntoa, (const struct ether_addr *address), (address))
TEXT(ptsname, (int terminal), (terminal))
TEXT(ttyname, (int terminal), (terminal))
TEXT(l64a, (long number), (number))
TEXT(tmpnam, (char to[L_tmpnam]), (to)) /* or in the caller's */
TEXT(gcvt, (double number, int digits, char *to), (number, digits, to)) /* always there */

#define DIGITS(name)                                                                     \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT char *name(double number, int digits, int *point, int *sign)           \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		char *got = DH_REAL(name)(number, digits, point, sign);                  \
		dh_writes_text(got, pc);                                                 \
		DH_WRITES_OBJECT(point, pc);                                             \
		DH_WRITES_OBJECT(sign, pc);                                              \
		return got;                                                              \
	}
DIGITS(ecvt)
DIGITS(fcvt)

/* ---- options ---- */

/* Where it is, and what it has found, are variables that the program has too. */
static int has_parsed(int got, uint64_t pc)
{
	DH_WRITES_OBJECT(&optind, pc);
	DH_WRITES_OBJECT(&optarg, pc);
	DH_WRITES_OBJECT(&optopt, pc);
	return got;
}

DH_REAL_WANT(getopt);
DH_EXPORT int getopt(int count, char *const *all, const char *options)
{
	uint64_t pc = DH_CALLER();
	dh_reads_text(options, pc);
	DH_READS_OBJECT(&opterr, pc);
	return has_parsed(DH_REAL(getopt)(count, all, options), pc);
}

#define LONG_OPTIONS(name)                                                               \
	DH_REAL_WANT(name);                                                              \
	DH_EXPORT int name(int count, char *const *all, const char *options,             \
			   const struct option *names, int *which)                       \
	{                                                                                \
		uint64_t pc = DH_CALLER();                                               \
		dh_reads_text(options, pc);                                              \
		DH_READS_OBJECT(&opterr, pc);                                            \
		return has_parsed(DH_REAL(name)(count, all, options, names, which), pc); \
	}
LONG_OPTIONS(getopt_long)
LONG_OPTIONS(getopt_long_only)
