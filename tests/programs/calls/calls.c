/* SPDX-License-Identifier: MIT */
/* Functions of the C library that write the caller's memory: another thread reads what
 * they write. See calls.h. */
#define _GNU_SOURCE
#include <aio.h>
#include <dirent.h>
#include <fcntl.h>
#include <grp.h>
#include <iconv.h>
#include <libgen.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <termios.h>
#include <time.h>
#include <uchar.h>
#include <unistd.h>
#include <wchar.h>
#include "calls.h"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

static void call_mbstowcs(void)
{
	check(mbstowcs((wchar_t *)memory, "wide", 100) == 4);
}

static void call_wcstombs(void)
{
	check(wcstombs(memory, L"narrow", 100) == 6);
}

static void call_mbsrtowcs(void)
{
	const char *from = "wide";
	mbstate_t state = {0};
	check(mbsrtowcs((wchar_t *)memory, &from, 100, &state) == 4 && !from);
}

static void call_wcsrtombs(void)
{
	const wchar_t *from = L"narrow";
	mbstate_t state = {0};
	check(wcsrtombs(memory, &from, 100, &state) == 6 && !from);
}

static void call_mbsnrtowcs(void)
{
	const char *from = "wide";
	mbstate_t state = {0};
	check(mbsnrtowcs((wchar_t *)memory, &from, 2, 100, &state) == 2);
}

static void call_mbrtowc(void)
{
	mbstate_t state = {0};
	check(mbrtowc((wchar_t *)memory, "w", 1, &state) == 1);
}

static void call_wctomb(void)
{
	check(wctomb(memory, L'n') == 1);
}

static void call_iconv(void)
{
	char text[] = "text", *from = text, *to = memory;
	size_t left = 4, room = 100;
	iconv_t how = iconv_open("UTF-16LE", "UTF-8");
	check(how != (iconv_t)-1 && iconv(how, &from, &left, &to, &room) == 0 && !left);
	iconv_close(how);
}

static void call_wcsncat(void)
{
	wcsncat((wchar_t *)memory, L"more", 2);
}

static void call_wcpcpy(void)
{
	check(wcpcpy((wchar_t *)memory, L"more") == (wchar_t *)memory + 4);
}

static void call_wmempcpy(void)
{
	check(wmempcpy((wchar_t *)memory, L"more", 4) == (wchar_t *)memory + 4);
}

static void call_wcsxfrm(void)
{
	check(wcsxfrm((wchar_t *)memory, L"text", 25) == 4);
}

static void call_strxfrm(void)
{
	check(strxfrm(memory, "text", 100) == 4);
}

static void call_drand48_r(void)
{
	static struct drand48_data state;
	check(drand48_r(&state, (double *)memory) == 0);
}

static void call_srand48_r(void)
{
	check(srand48_r(7, (struct drand48_data *)memory) == 0);
}

static void call_erand48_r(void)
{
	static struct drand48_data state;
	double number;
	check(erand48_r((unsigned short *)memory, &state, &number) == 0);
}

static void call_readdir_r(void)
{
	struct dirent *got;
	DIR *in = opendir("/");
	check(in && readdir_r(in, (struct dirent *)memory, &got) == 0 && got);
	closedir(in);
}

static void call_getitimer(void)
{
	check(getitimer(ITIMER_REAL, (struct itimerval *)memory) == 0);
}

static void call_pthread_getname_np(void)
{
	check(pthread_getname_np(pthread_self(), memory, 64) == 0);
}

static void call_tcgetattr(void)
{
	int terminal = posix_openpt(O_RDWR | O_NOCTTY);
	check(terminal >= 0 && tcgetattr(terminal, (struct termios *)memory) == 0);
	close(terminal);
}

static void call_open_memstream(void)
{
	size_t *size = (size_t *)(memory + 64);
	FILE *f = open_memstream((char **)memory, size);
	fputs("text", f);
	check(fclose(f) == 0 && *size == 4);
}

/* The size is told where the pointer is not looked at. */
static void call_fflush(void)
{
	char **text = (char **)(memory + 64);
	FILE *f = open_memstream(text, (size_t *)memory);
	fputs("text", f);
	check(fflush(f) == 0 && strcmp(*text, "text") == 0);
}

static void call_aio_read(void)
{
	static struct aiocb control;
	control.aio_fildes = open("/dev/zero", O_RDONLY);
	control.aio_buf = memory;
	control.aio_nbytes = 64;
	const struct aiocb *all[] = {&control};
	check(aio_read(&control) == 0 && aio_suspend(all, 1, NULL) == 0 &&
	      aio_error(&control) == 0 && aio_return(&control) == 64);
	close(control.aio_fildes);
}

static void call_swprintf(void)
{
	check(swprintf((wchar_t *)memory, 100, L"%d", 7) == 1);
}

static void call_wcstol(void)
{
	check(wcstol(L"7", (wchar_t **)memory, 10) == 7);
}

static void call_gcvt(void)
{
	check(gcvt(1.5, 3, memory) == memory);
}

static void call_sigemptyset(void)
{
	check(sigemptyset((sigset_t *)memory) == 0);
}

static void call_sigaddset(void)
{
	check(sigaddset((sigset_t *)memory, SIGUSR1) == 0);
}

static void call_sigprocmask(void)
{
	check(sigprocmask(SIG_BLOCK, NULL, (sigset_t *)memory) == 0);
}

static void call_sched_getaffinity(void)
{
	check(sched_getaffinity(0, sizeof(cpu_set_t), (cpu_set_t *)memory) == 0);
}

static void call_confstr(void)
{
	check(confstr(_CS_PATH, memory, 100) > 0);
}

static void call_posix_memalign(void)
{
	check(posix_memalign((void **)memory, 64, 100) == 0);
}

static void call_dirname(void)
{
	check(strcmp(dirname(memory), "here") == 0);
}

static void call_basename(void)
{
	check(strcmp(basename(memory), "there") == 0);
}

static void call_fgetws(void)
{
	FILE *f = fopen("/proc/self/comm", "r");
	check(fgetws((wchar_t *)memory, 100, f) && fclose(f) == 0);
}

static void call_wcsftime(void)
{
	struct tm time = {.tm_year = 100};
	check(wcsftime((wchar_t *)memory, 100, L"%Y", &time) == 4);
}

static void call_memfrob(void)
{
	check(memfrob(memory, 10) == memory);
}

static void call_strfry(void)
{
	check(strfry(memory) == memory);
}

static void call_ecvt_r(void)
{
	int point, minus;
	check(ecvt_r(1.5, 4, &point, &minus, memory, 100) == 0);
}

static void call_mbrtoc16(void)
{
	mbstate_t state = {0};
	check(mbrtoc16((char16_t *)memory, "w", 1, &state) == 1);
}

static void call_c16rtomb(void)
{
	mbstate_t state = {0};
	check(c16rtomb(memory, u'w', &state) == 1);
}

static void call_copy_file_range(void)
{
	int from = memfd_create("from", 0), to = memfd_create("to", 0);
	check(copy_file_range(from, (off64_t *)memory, to, NULL, 100, 0) == 0);
}

static void call_process_vm_readv(void)
{
	char text[] = "text";
	struct iovec from = {text, sizeof text}, to = {memory, sizeof text};
	check(process_vm_readv(getpid(), &to, 1, &from, 1, 0) == sizeof text);
}

static void call_getgrouplist(void)
{
	int n = 100;
	check(getgrouplist("root", 0, (gid_t *)memory, &n) > 0);
}

/* What C90 and C++98 call. */
int old_sscanf(const char *from, const char *format, ...) __asm__("sscanf");
int old_swscanf(const wchar_t *from, const wchar_t *format, ...) __asm__("swscanf");

static void call_sscanf(void)
{
	check(old_sscanf("a 7", "%*s %d", (int *)memory) == 1);
}

static void call_sscanf_as(void)
{
	check(old_sscanf("text", "%as", (char **)memory) == 1);
}

static void call_sscanf_set(void)
{
	check(old_sscanf("text", "%3a[ext]%c", (char **)(memory + 64), memory) == 2);
}

static void call_sscanf_a(void)
{
	check(old_sscanf("1 s", "%a s%n", (float *)(memory + 64), (int *)memory) == 1);
}

static void call_isoc99_sscanf(void)
{
	check(sscanf("1s7", "%as%d", (float *)(memory + 64), (int *)memory) == 2);
}

static void call_swscanf(void)
{
	check(swscanf(L"a 7", L"%*s %d", (int *)memory) == 1);
}

static void call_old_swscanf(void)
{
	check(old_swscanf(L"a 7", L"%*ls %d", (int *)memory) == 1);
}

static void call_swscanf_text(void)
{
	check(swscanf(L"text", L"%ls", (wchar_t *)memory) == 1);
}

static void call_fwscanf(void)
{
	FILE *f = fopen("/proc/self/comm", "r");
	check(fwscanf(f, L"%s", memory) == 1 && fclose(f) == 0);
}

static void call_vswscanf(const wchar_t *format, ...)
{
	va_list list;
	va_start(list, format);
	check(vswscanf(L"7", format, list) == 1);
	va_end(list);
}

static void with_list(void)
{
	call_vswscanf(L"%d", (int *)memory);
}

int __swprintf_chk(wchar_t *to, size_t n, int flag, size_t room, const wchar_t *format,
		   ...);

static void call_swprintf_chk(void)
{
	check(__swprintf_chk((wchar_t *)memory, 100, 1, 100, L"%d", 7) == 1);
}

static void call_swprintf_n(void)
{
	wchar_t to[10];
	check(swprintf(to, 10, L"%Lf%c%n", 1.5L, 'x', (int *)memory) == 9);
}

static const struct call calls[] = {
    CALL(mbstowcs),
    CALL(wcstombs),
    CALL(mbsrtowcs),
    CALL(wcsrtombs),
    CALL(mbsnrtowcs),
    CALL(mbrtowc),
    CALL(wctomb),
    CALL(iconv),
    CALL(wcsncat),
    CALL(wcpcpy),
    CALL(wmempcpy),
    CALL(wcsxfrm),
    CALL(strxfrm),
    CALL(drand48_r),
    CALL(srand48_r),
    CALL(erand48_r),
    CALL(readdir_r),
    CALL(getitimer),
    CALL(pthread_getname_np),
    CALL(tcgetattr),
    CALL(fflush),
    CALL(open_memstream),
    CALL(aio_read),
    CALL(swprintf),
    CALL(wcstol),
    CALL(gcvt),
    CALL(sigemptyset),
    CALL(sigaddset),
    CALL(sigprocmask),
    CALL(sched_getaffinity),
    CALL(confstr),
    CALL(posix_memalign),
    CALL_ON(dirname, "here/there", 4),
    CALL_ON(basename, "here/there/", 10),
    CALL(fgetws),
    CALL(wcsftime),
    CALL(memfrob),
    CALL_ON(strfry, "text", 0),
    CALL(ecvt_r),
    CALL(mbrtoc16),
    CALL(c16rtomb),
    CALL(copy_file_range),
    CALL(process_vm_readv),
    CALL(getgrouplist),
    CALL(sscanf),
    CALL(sscanf_as),
    CALL(sscanf_set),
    CALL(sscanf_a),
    CALL(isoc99_sscanf),
    CALL(swscanf),
    CALL(old_swscanf),
    CALL(swscanf_text),
    CALL(fwscanf),
    {"vswscanf", with_list, "", 0},
    CALL(swprintf_chk),
    CALL(swprintf_n),
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
