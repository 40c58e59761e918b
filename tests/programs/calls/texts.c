/* SPDX-License-Identifier: MIT */
/* Functions that read a text, or something else, of the caller's: another thread has
 * written it. See calls.h. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <iconv.h>
#include <libintl.h>
#include <locale.h>
#include <mqueue.h>
#include <netdb.h>
#include <nl_types.h>
#include <sched.h>
#include <semaphore.h>
#include <stdlib.h>
#include <strings.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>
#include <utime.h>
#include <wordexp.h>
#include "calls.h"

#undef gettext /* the header makes one of the other */
#undef dgettext
#undef ngettext

static void call_unlinkat(void)
{
	check(unlinkat(AT_FDCWD, memory, 0) < 0);
}

static void call_renameat(void)
{
	check(renameat(AT_FDCWD, "/no", AT_FDCWD, memory) < 0);
}

static void call_renameat2(void)
{
	check(renameat2(AT_FDCWD, memory, AT_FDCWD, "/no", 0) < 0);
}

static void call_mkdirat(void)
{
	check(mkdirat(AT_FDCWD, memory, 0700) < 0);
}

static void call_linkat(void)
{
	check(linkat(AT_FDCWD, memory, AT_FDCWD, "/no", 0) < 0);
}

static void call_symlinkat(void)
{
	check(symlinkat("/no", AT_FDCWD, memory) < 0);
}

static void call_faccessat(void)
{
	check(faccessat(AT_FDCWD, memory, R_OK, 0) < 0);
}

static void call_fchmodat(void)
{
	check(fchmodat(AT_FDCWD, memory, 0700, 0) < 0);
}

static void call_fchownat(void)
{
	check(fchownat(AT_FDCWD, memory, 0, 0, 0) < 0);
}

static void call_chown(void)
{
	check(chown(memory, 0, 0) < 0);
}

static void call_lchown(void)
{
	check(lchown(memory, 0, 0) < 0);
}

static void call_utime(void)
{
	check(utime(memory, NULL) < 0);
}

static void call_utimes(void)
{
	check(utimes(memory, NULL) < 0);
}

static void call_lutimes(void)
{
	check(lutimes(memory, NULL) < 0);
}

static void call_utimensat(void)
{
	check(utimensat(AT_FDCWD, memory, NULL, 0) < 0);
}

static void call_futimens(void)
{
	check(futimens(-1, (const struct timespec *)memory) < 0);
}

static void call_pathconf(void)
{
	check(pathconf(memory, _PC_NAME_MAX) < 0);
}

static void call_shm_open(void)
{
	check(shm_open(memory, O_RDWR, 0600) < 0);
}

static void call_shm_unlink(void)
{
	check(shm_unlink(memory) < 0);
}

static void call_sem_open(void)
{
	check(sem_open(memory, 0) == SEM_FAILED);
}

static void call_sem_unlink(void)
{
	check(sem_unlink(memory) < 0);
}

static void call_mq_open(void)
{
	check(mq_open(memory, O_RDWR) < 0);
}

static void call_mq_unlink(void)
{
	check(mq_unlink(memory) < 0);
}

static void call_scandir(void)
{
	struct dirent **all;
	check(scandir(memory, &all, NULL, NULL) < 0);
}

static void call_memfd_create(void)
{
	check(memfd_create(memory, 0) >= 0);
}

static void call_inotify_add_watch(void)
{
	check(inotify_add_watch(-1, memory, 1) < 0);
}

static void call_system(void)
{
	check(system(memory) == 0);
}

static void call_prctl(void)
{
	check(prctl(PR_SET_NAME, memory) == 0);
}

static void call_pthread_setname_np(void)
{
	check(pthread_setname_np(pthread_self(), memory) == 0);
}

static void call_strcasecmp_l(void)
{
	check(strcasecmp_l(memory, "TEXT", newlocale(LC_ALL_MASK, "C", NULL)) == 0);
}

static void call_strncasecmp_l(void)
{
	check(strncasecmp_l(memory, "TEXT", 4, newlocale(LC_ALL_MASK, "C", NULL)) == 0);
}

static void call_strtod_l(void)
{
	check(strtod_l(memory, NULL, newlocale(LC_ALL_MASK, "C", NULL)) == 17);
}

static void call_strtof_l(void)
{
	check(strtof_l(memory, NULL, newlocale(LC_ALL_MASK, "C", NULL)) == 17);
}

static void call_strtol_l(void)
{
	check(strtol_l(memory, NULL, 10, newlocale(LC_ALL_MASK, "C", NULL)) == 17);
}

static void call_strtoul_l(void)
{
	check(strtoul_l(memory, NULL, 10, newlocale(LC_ALL_MASK, "C", NULL)) == 17);
}

static void call_strtoll_l(void)
{
	check(strtoll_l(memory, NULL, 10, newlocale(LC_ALL_MASK, "C", NULL)) == 17);
}

static void call_strtoull_l(void)
{
	check(strtoull_l(memory, NULL, 10, newlocale(LC_ALL_MASK, "C", NULL)) == 17);
}

static void call_strcoll_l(void)
{
	check(strcoll_l(memory, "text", newlocale(LC_ALL_MASK, "C", NULL)) == 0);
}

static void call_gettext(void)
{
	check(gettext(memory) == memory);
}

static void call_dgettext(void)
{
	check(dgettext("domain", memory) == memory);
}

static void call_dcgettext(void)
{
	check(dcgettext("domain", memory, LC_MESSAGES) == memory);
}

static void call_ngettext(void)
{
	check(ngettext(memory, "many", 1) == memory);
}

static void call_inet_network(void)
{
	check(inet_network(memory) == 0x7f000001);
}

static void call_mblen(void)
{
	check(mblen(memory, 4) == 1);
}

static void call_setlocale(void)
{
	check(setlocale(LC_ALL, memory) == NULL);
}

static void call_newlocale(void)
{
	check(!newlocale(LC_ALL_MASK, memory, NULL));
}

static void call_iconv_open(void)
{
	check(iconv_open("UTF-8", memory) == (iconv_t)-1);
}

static void call_catopen(void)
{
	check(catopen(memory, 0) == (nl_catd)-1);
}

static void call_wordexp(void)
{
	wordexp_t to;
	check(wordexp(memory, &to, 0) == 0);
}

static void call_gethostbyname_r(void)
{
	static char texts[1024];
	struct hostent to, *found;
	int error;
	check(gethostbyname_r(memory, &to, texts, sizeof texts, &found, &error) == 0);
}

static void call_mq_setattr(void)
{
	check(mq_setattr(-1, (const struct mq_attr *)memory, NULL) < 0);
}

static void call_pthread_setschedparam(void)
{
	check(pthread_setschedparam(pthread_self(), SCHED_OTHER,
				    (const struct sched_param *)memory) == 0);
}

static void call_sched_setparam(void)
{
	check(sched_setparam(0, (const struct sched_param *)memory) == 0);
}

static void call_sched_setaffinity(void)
{
	check(sched_setaffinity(0, 8, (const cpu_set_t *)memory) != 0);
}

static void call_pthread_setaffinity_np(void)
{
	check(pthread_setaffinity_np(pthread_self(), 8, (const cpu_set_t *)memory) != 0);
}

static void call_perror(void)
{
	perror(memory);
}

static const struct call calls[] = {
    CALL_ON(unlinkat, "/no/such", 4),
    CALL_ON(renameat, "/no/such", 4),
    CALL_ON(renameat2, "/no/such", 4),
    CALL_ON(mkdirat, "/no/such", 4),
    CALL_ON(linkat, "/no/such", 4),
    CALL_ON(symlinkat, "/no/such", 4),
    CALL_ON(faccessat, "/no/such", 4),
    CALL_ON(fchmodat, "/no/such", 4),
    CALL_ON(fchownat, "/no/such", 4),
    CALL_ON(chown, "/no/such", 4),
    CALL_ON(lchown, "/no/such", 4),
    CALL_ON(utime, "/no/such", 4),
    CALL_ON(utimes, "/no/such", 4),
    CALL_ON(lutimes, "/no/such", 4),
    CALL_ON(utimensat, "/no/such", 4),
    CALL(futimens),
    CALL_ON(pathconf, "/no/such", 4),
    CALL_ON(shm_open, "/no/such", 4),
    CALL_ON(shm_unlink, "/no/such", 4),
    CALL_ON(sem_open, "/no/such", 4),
    CALL_ON(sem_unlink, "/no/such", 4),
    CALL_ON(mq_open, "/no/such", 4),
    CALL_ON(mq_unlink, "/no/such", 4),
    CALL_ON(scandir, "/no/such", 4),
    CALL_ON(memfd_create, "name", 2),
    CALL_ON(inotify_add_watch, "/no/such", 4),
    CALL_ON(system, "true", 2),
    CALL_ON(prctl, "name", 2),
    CALL_ON(pthread_setname_np, "name", 2),
    CALL_ON(strcasecmp_l, "text", 2),
    CALL_ON(strncasecmp_l, "text", 2),
    CALL_ON(strtod_l, "17", 1),
    CALL_ON(strtof_l, "17", 1),
    CALL_ON(strtol_l, "17", 1),
    CALL_ON(strtoul_l, "17", 1),
    CALL_ON(strtoll_l, "17", 1),
    CALL_ON(strtoull_l, "17", 1),
    CALL_ON(strcoll_l, "text", 2),
    CALL_ON(gettext, "text", 2),
    CALL_ON(dgettext, "text", 2),
    CALL_ON(dcgettext, "text", 2),
    CALL_ON(ngettext, "text", 2),
    CALL_ON(inet_network, "127.0.0.1", 2),
    CALL_ON(mblen, "text", 0),
    CALL_ON(setlocale, "none", 2),
    CALL_ON(newlocale, "none", 2),
    CALL_ON(iconv_open, "none", 2),
    CALL_ON(catopen, "/no/such", 2),
    CALL_ON(wordexp, "word", 2),
    CALL_ON(gethostbyname_r, "127.0.0.1", 2),
    CALL(mq_setattr),
    CALL(pthread_setschedparam),
    CALL(sched_setparam),
    CALL(sched_setaffinity),
    CALL(pthread_setaffinity_np),
    CALL_ON(perror, "text", 2),
};

/* The same that is there. */
static void tell(void)
{
	*(volatile char *)place = *place;
}

int main(int argc, char **argv)
{
	return run_calls(argc, argv, calls, sizeof calls / sizeof *calls, tell, NULL);
}
