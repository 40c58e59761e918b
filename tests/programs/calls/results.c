/* SPDX-License-Identifier: MIT */
/* More functions that write the caller's memory, as those of calls.c. */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <locale.h>
#include <mqueue.h>
#include <netdb.h>
#include <regex.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>
#include <wordexp.h>
#include "calls.h"

static char texts[1024];

static mqd_t a_queue(void)
{
	char name[32];
	snprintf(name, sizeof name, "/deadheat-%d", getpid());
	mqd_t queue = mq_open(name, O_RDWR | O_CREAT, 0600, NULL);
	mq_unlink(name);
	return queue;
}

static void call_mq_getattr(void)
{
	mqd_t queue = a_queue();
	check(mq_getattr(queue, (struct mq_attr *)memory) == 0);
}

static void call_mq_setattr(void)
{
	mqd_t queue = a_queue();
	struct mq_attr to = {.mq_flags = O_NONBLOCK};
	check(mq_setattr(queue, &to, (struct mq_attr *)memory) == 0);
}

static void call_timer_gettime(void)
{
	timer_t timer;
	struct sigevent none = {.sigev_notify = SIGEV_NONE};
	check(timer_create(CLOCK_MONOTONIC, &none, &timer) == 0 &&
	      timer_gettime(timer, (struct itimerspec *)memory) == 0);
}

static void call_regerror(void)
{
	check(regerror(REG_BADPAT, NULL, memory, 100) > 0);
}

static void call_pthread_getschedparam(void)
{
	struct sched_param to;
	check(pthread_getschedparam(pthread_self(), (int *)memory, &to) == 0);
}

static void call_sched_getparam(void)
{
	check(sched_getparam(0, (struct sched_param *)memory) == 0);
}

static void call_pthread_getaffinity_np(void)
{
	check(pthread_getaffinity_np(pthread_self(), sizeof(cpu_set_t),
				     (cpu_set_t *)memory) == 0);
}

static void call_sched_rr_get_interval(void)
{
	check(sched_rr_get_interval(0, (struct timespec *)memory) == 0);
}

static void call_sigaltstack(void)
{
	check(sigaltstack(NULL, (stack_t *)memory) == 0);
}

static void call_gethostbyname_r(void)
{
	struct hostent *found;
	int error;
	check(gethostbyname_r("127.0.0.1", (struct hostent *)memory, texts, sizeof texts,
			      &found, &error) == 0 &&
	      found);
}

static void call_gethostbyname2_r(void)
{
	struct hostent *found;
	int error;
	check(gethostbyname2_r("127.0.0.1", AF_INET, (struct hostent *)memory, texts,
			       sizeof texts, &found, &error) == 0 &&
	      found);
}

static void call_gethostbyaddr_r(void)
{
	struct hostent to;
	int error;
	char address[4] = {127, 0, 0, 1};
	check(gethostbyaddr_r(address, 4, AF_INET, &to, texts, sizeof texts,
			      (struct hostent **)memory, &error) == 0);
}

static void call_getservbyname_r(void)
{
	struct servent to;
	check(getservbyname_r("no such", "tcp", &to, texts, sizeof texts,
			      (struct servent **)memory) >= 0);
}

static void call_getservbyport_r(void)
{
	struct servent to;
	check(getservbyport_r(80, "tcp", &to, texts, sizeof texts,
			      (struct servent **)memory) >= 0);
}

static void call_getprotobyname_r(void)
{
	struct protoent to;
	check(getprotobyname_r("tcp", &to, texts, sizeof texts,
			       (struct protoent **)memory) >= 0);
}

static void call_getifaddrs(void)
{
	check(getifaddrs((struct ifaddrs **)memory) == 0);
}

static void call_getcpu(void)
{
	check(getcpu((unsigned *)memory, NULL) == 0);
}

static void call_strfromd(void)
{
	check(strfromd(memory, 10, "%.1f", 1.5) == 3);
}

static void call_strfromf(void)
{
	check(strfromf(memory, 10, "%.1f", 1.5f) == 3);
}

static void call_strfroml(void)
{
	check(strfroml(memory, 10, "%.1f", 1.5L) == 3);
}

static void call_arc4random_buf(void)
{
	void (*fill)(void *, size_t) = dlsym(RTLD_DEFAULT, "arc4random_buf");
	fill(memory, 100);
}

static void call_mincore(void)
{
	check(mincore((void *)((uintptr_t)memory & -4096), 4096,
		      (unsigned char *)memory) == 0);
}

static void call_dladdr(void)
{
	check(dladdr(memory, (Dl_info *)memory));
}

static void call_wordexp(void)
{
	check(wordexp("word", (wordexp_t *)memory, 0) == 0);
}

static void call_initstate_r(void)
{
	static struct random_data state;
	check(initstate_r(7, memory, 64, &state) == 0);
}

static void call_srandom_r(void)
{
	struct random_data *state = (struct random_data *)memory;
	check(initstate_r(7, memory + 1024, 64, state) == 0 && srandom_r(8, state) == 0);
}

static void call_getsubopt(void)
{
	char *text = memory, *value, *tokens[] = {"here", NULL};
	check(getsubopt(&text, tokens, &value) == 0);
}

static void call_scandir(void)
{
	check(scandir("/", (struct dirent ***)memory, NULL, NULL) > 0);
}

static void call_mkostemp(void)
{
	int fd = mkostemp(memory, O_CLOEXEC);
	check(fd >= 0 && unlink(memory) == 0);
}

static void call_prctl(void)
{
	check(prctl(PR_GET_NAME, memory) == 0);
}

static void call_strxfrm_l(void)
{
	check(strxfrm_l(memory, "text", 100, newlocale(LC_ALL_MASK, "C", NULL)) == 4);
}

static void call_strftime_l(void)
{
	struct tm time = {.tm_year = 100};
	check(strftime_l(memory, 100, "%Y", &time, newlocale(LC_ALL_MASK, "C", NULL)) ==
	      4);
}

static void call_strtol_l(void)
{
	check(strtol_l("7", (char **)memory, 10, newlocale(LC_ALL_MASK, "C", NULL)) == 7);
}

static void call_strtod_l(void)
{
	check(strtod_l("7", (char **)memory, newlocale(LC_ALL_MASK, "C", NULL)) == 7);
}

static const struct call calls[] = {
    CALL(mq_getattr),
    CALL(mq_setattr),
    CALL(timer_gettime),
    CALL(regerror),
    CALL(pthread_getschedparam),
    CALL(sched_getparam),
    CALL(pthread_getaffinity_np),
    CALL(sched_rr_get_interval),
    CALL(sigaltstack),
    CALL(gethostbyname_r),
    CALL(gethostbyname2_r),
    CALL(gethostbyaddr_r),
    CALL(getservbyname_r),
    CALL(getservbyport_r),
    CALL(getprotobyname_r),
    CALL(getifaddrs),
    CALL(getcpu),
    CALL(strfromd),
    CALL(strfromf),
    CALL(strfroml),
    CALL(arc4random_buf),
    CALL(mincore),
    CALL(dladdr),
    CALL(wordexp),
    CALL_ON(initstate_r, "", 60),
    CALL(srandom_r),
    CALL_ON(getsubopt, "here,there", 4),
    CALL(scandir),
    CALL_ON(mkostemp, "/tmp/dhXXXXXX", 7),
    CALL(prctl),
    CALL(strxfrm_l),
    CALL(strftime_l),
    CALL(strtol_l),
    CALL(strtod_l),
};

static volatile char seen;

static void look(void)
{
	seen = *place;
}

int main(int argc, char **argv)
{
	return run_calls(argc, argv, calls, sizeof calls / sizeof *calls, NULL, look);
}
