/* SPDX-License-Identifier: MIT */
/* Functions that keep something of their own from one call to the next: two calls of
 * theirs. See calls.h. */
#define _GNU_SOURCE
#include <dirent.h>
#include <getopt.h>
#include <grp.h>
#include <mntent.h>
#include <netdb.h>
#include <netinet/ether.h>
#include <pwd.h>
#include <sys/socket.h>
#include "calls.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static FILE *users, *groups, *mounts;
static DIR *folder;
static const struct ether_addr address = {{1, 2, 3, 4, 5, 6}};
static char *arguments[] = {"program", "-a", "-a", NULL};

static void call_gethostbyname(void)
{
	check(gethostbyname("127.0.0.1") != NULL);
}

static void call_gethostbyname2(void)
{
	check(gethostbyname2("127.0.0.1", AF_INET) != NULL);
}

static void call_getmntent(void)
{
	check(getmntent(mounts) != NULL);
}

static void call_fgetpwent(void)
{
	check(fgetpwent(users) != NULL);
}

static void call_fgetgrent(void)
{
	check(fgetgrent(groups) != NULL);
}

static void call_ether_ntoa(void)
{
	check(ether_ntoa(&address) != NULL);
}

static void call_ether_aton(void)
{
	check(ether_aton("1:2:3:4:5:6") != NULL);
}

static void call_getopt(void)
{
	check(getopt(3, arguments, "a") == 'a');
}

static void call_getopt_long(void)
{
	struct option all[] = {{0}};
	check(getopt_long(3, arguments, "a", all, NULL) == 'a');
}

static void call_readdir(void)
{
	check(readdir(folder) != NULL);
}

static const struct call calls[] = {
    CALL(gethostbyname), CALL(gethostbyname2), CALL(getmntent),	 CALL(fgetpwent),
    CALL(fgetgrent),	 CALL(ether_ntoa),     CALL(ether_aton), CALL(getopt),
    CALL(getopt_long),	 CALL(readdir),
};

int main(int argc, char **argv)
{
	users = fmemopen("a:b:1:1::/:/\nb:b:2:2::/:/\n", 26, "r");
	groups = fmemopen("a:b:1:\nb:b:2:\n", 14, "r");
	mounts = fmemopen("a / b c 0 0\nb / b c 0 0\n", 24, "r");
	folder = opendir("/");
	return run_calls(argc, argv, calls, sizeof calls / sizeof *calls, NULL, NULL);
}
