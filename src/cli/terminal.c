/* SPDX-License-Identifier: MIT */
/* See terminal.h. */
#include "cli/terminal.h"
#include "cli/cmd.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

bool dh_parse_colour(const char *text, enum dh_colour *colour)
{
	static const char *const names[] = {"auto", "always", "never"};
	for (size_t i = 0; i < DH_ARRAY_LEN(names); i++)
		if (strcmp(text, names[i]) == 0) {
			*colour = (enum dh_colour)i;
			return true;
		}
	dh_usage_error("--colour takes auto, always or never, not '%s'", text);
	return false;
}

bool dh_terminal_colour(FILE *f, enum dh_colour colour)
{
	const char *term = getenv("TERM"), *no = getenv("NO_COLOR");
	if (colour != DH_COLOUR_AUTO)
		return colour == DH_COLOUR_ALWAYS;
	return isatty(fileno(f)) && term && *term && strcmp(term, "dumb") != 0 &&
	       !(no && *no);
}

unsigned dh_terminal_columns(FILE *f)
{
	const char *text = getenv("COLUMNS");
	char *end;
	unsigned long n = text ? strtoul(text, &end, 10) : 0;
	if (n > 0 && n <= 10000 && *end == '\0')
		return (unsigned)n;
	struct winsize size;
	return isatty(fileno(f)) && ioctl(fileno(f), TIOCGWINSZ, &size) == 0 ? size.ws_col
									     : 0;
}

static int failed(const char *path, int error)
{
	fprintf(stderr, "deadheat: cannot write %s: %s\n", path, strerror(error));
	return DH_EXIT_FAILED;
}

int dh_outfile_open(struct dh_outfile *o, const char *path)
{
	o->path = strcmp(path, "-") == 0 ? "standard output" : path;
	int error = -dh_output_open(&o->output, path);
	if (error)
		return failed(o->path, error);
	int fd = dup(o->output.fd);
	o->to = fd < 0 ? NULL : fdopen(fd, "w");
	if (o->to)
		return 0;
	error = errno;
	if (fd >= 0)
		close(fd);
	dh_output_close(&o->output, false);
	return failed(o->path, error);
}

int dh_outfile_close(struct dh_outfile *o, bool keep)
{
	errno = 0;
	bool bad = ferror(o->to);
	bad |= fclose(o->to) != 0;
	int error = bad ? errno ? errno : EIO : 0;
	int closing = -dh_output_close(&o->output, keep && !bad);
	error = error ? error : closing;
	return error ? failed(o->path, error) : 0;
}
