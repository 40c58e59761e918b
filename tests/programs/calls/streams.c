/* SPDX-License-Identifier: MIT */
/*
 * Functions that write to a stream or read from one, which is a pipe: what was told
 * before comes before what is read at the other end, and what is told after it does not.
 * Standard output and error have no buffer, so that nothing but the function writes.
 */
#define _GNU_SOURCE
#ifndef __NO_INLINE__
#define __NO_INLINE__ /* the headers shall define none of the functions */
#endif
#include <err.h>
#include <error.h>
#include <signal.h>
#include <stdlib.h>
#include <wchar.h>
#include "calls.h"

static int ends[2], races, data, number;
static siginfo_t info;

/* What C90 and C++98 call. */
int old_scanf(const char *format, ...) __asm__("scanf");
int old_fwscanf(FILE *f, const wchar_t *format, ...) __asm__("fwscanf");

static void call_putchar(void)
{
	putchar('c');
}

static void call_putchar_unlocked(void)
{
	putchar_unlocked('c');
}

static void call_putc_unlocked(void)
{
	putc_unlocked('c', stdout);
}

static void call_fputc_unlocked(void)
{
	fputc_unlocked('c', stdout);
}

static void call_putw(void)
{
	putw(7, stdout);
}

static void call_overflow(void)
{
	__overflow(stdout, 'c');
}

static void call_putwchar(void)
{
	putwchar(L'c');
}

static void call_putwchar_unlocked(void)
{
	putwchar_unlocked(L'c');
}

static void call_putwc_unlocked(void)
{
	putwc_unlocked(L'c', stdout);
}

static void call_fputwc_unlocked(void)
{
	fputwc_unlocked(L'c', stdout);
}

static void call_printf(void)
{
	printf("\n");
}

static void call_wprintf(void)
{
	wprintf(L"%d", 7);
}

static void call_fwprintf(void)
{
	fwprintf(stdout, L"%d", 7);
}

static void call_perror(void)
{
	perror("text");
}

static void call_psignal(void)
{
	psignal(SIGINT, "text");
}

static void call_psiginfo(void)
{
	psiginfo(&info, "text");
}

static void call_warn(void)
{
	warn("%d", 7);
}

static void call_warnx(void)
{
	warnx("%d", 7);
}

static void call_error(void)
{
	error(0, 0, "%d", 7);
}

/* More than fits where it is made first. */
static void call_error_long(void)
{
	error(0, 0, "%1000d", 7);
}

static void call_error_at_line(void)
{
	error_at_line(0, 0, "file", 1, "%d", 7);
}

static void call_err(void)
{
	err(0, "%d", 7);
}

static void call_errx(void)
{
	errx(0, "%d", 7);
}

static void call_getchar(void)
{
	check(getchar() == '7');
}

static void call_getchar_unlocked(void)
{
	check(getchar_unlocked() == '7');
}

static void call_getc_unlocked(void)
{
	check(getc_unlocked(stdin) == '7');
}

static void call_fgetc_unlocked(void)
{
	check(fgetc_unlocked(stdin) == '7');
}

static void call_getw(void)
{
	check(getw(stdin) != EOF);
}

static void call_uflow(void)
{
	check(__uflow(stdin) == '7');
}

static void call_fgetwc_unlocked(void)
{
	check(fgetwc_unlocked(stdin) == L'7');
}

static void call_getwc_unlocked(void)
{
	check(getwc_unlocked(stdin) == L'7');
}

static void call_getwchar(void)
{
	check(getwchar() == L'7');
}

static void call_getwchar_unlocked(void)
{
	check(getwchar_unlocked() == L'7');
}

static void call_wscanf(void)
{
	check(wscanf(L"%d", &number) == 1);
}

static void call_fwscanf(void)
{
	check(fwscanf(stdin, L"%d", &number) == 1);
}

static void call_old_scanf(void)
{
	check(old_scanf("%d", &number) == 1);
}

static void call_old_fwscanf(void)
{
	check(old_fwscanf(stdin, L"%d", &number) == 1);
}

/* Those that write come first, and those that do not return are the last of them. */
static const struct call calls[] = {
    CALL(putchar),
    CALL(putchar_unlocked),
    CALL(putc_unlocked),
    CALL(fputc_unlocked),
    CALL(putw),
    CALL(overflow),
    CALL(putwchar),
    CALL(putwchar_unlocked),
    CALL(putwc_unlocked),
    CALL(fputwc_unlocked),
    CALL(printf),
    CALL(wprintf),
    CALL(fwprintf),
    CALL(perror),
    CALL(psignal),
    CALL(psiginfo),
    CALL(warn),
    CALL(warnx),
    CALL(error),
    CALL(error_long),
    CALL(error_at_line),
    CALL(err),
    CALL(errx),
    CALL(getchar),
    CALL(getchar_unlocked),
    CALL(getc_unlocked),
    CALL(fgetc_unlocked),
    CALL(getw),
    CALL(uflow),
    CALL(fgetwc_unlocked),
    CALL(getwc_unlocked),
    CALL(getwchar),
    CALL(getwchar_unlocked),
    CALL(wscanf),
    CALL(fwscanf),
    CALL(old_scanf),
    CALL(old_fwscanf),
};
enum { WRITERS = 23, RETURNING = 21 };

static void tell(void)
{
	data = 1;
}

static void tell_late(void)
{
	if (races)
		tell();
	invisible_advance(&step);
}

static volatile int seen;

static void look(void)
{
	seen = data;
}

static void write_number(void)
{
	check(write(ends[1], "7 lines\n", 8) == 8);
}

static void read_byte(void)
{
	char c;
	check(read(ends[0], &c, 1) == 1);
}

static void writer(void)
{
	if (!races)
		tell();
	first();
	tell_late();
}

static void reader(void)
{
	second();
	invisible_await(&step, 1);
	look();
	invisible_advance(&step);
}

static void at_exit(void)
{
	tell_late();
	invisible_await(&step, 2);
}

int main(int argc, char **argv)
{
	size_t i = 0;
	if (argc < 3)
		return run_calls(argc, argv, calls, sizeof calls / sizeof *calls, NULL,
				 NULL);
	while (strcmp(calls[i].name, argv[1]) != 0)
		i++;
	races = strcmp(argv[2], "race") == 0;
	first = i < WRITERS ? calls[i].call : write_number;
	second = i < WRITERS ? read_byte : calls[i].call;
	if (i >= RETURNING && i < WRITERS)
		atexit(at_exit);
	setvbuf(stdout, NULL, _IONBF, 0);
	if (pipe(ends) || dup2(ends[0], 0) < 0 || dup2(ends[1], 1) < 0 ||
	    dup2(ends[1], 2) < 0)
		return 2;
	run_threads(2, writer, reader);
	return failed;
}
