/* SPDX-License-Identifier: MIT */
/*
 * Following formats; see format.h. A conversion is
 *
 *   printf   % flags width .precision length letter
 *   scanf    % * width m length letter-or-[set]
 *
 * Of the arguments only the kind matters that tells how they are passed. A wide format is
 * followed as a narrow one: all that it says is said in ASCII.
 */
#include "runtime/intercept/format.h"
#include "runtime/intercept/touch.h"

enum length { PLAIN, CHAR, SHORT, LONG, LONG_LONG, LONG_DOUBLE };

struct conversion {
	bool skip;	/* scanf: assigns nothing */
	bool allocates; /* scanf: %ms */
	bool numbered;	/* beyond us */
	int stars;	/* printf: arguments for width and precision */
	bool precise;	/* printf: a precision was given, */
	bool star_last; /* as an argument */
	size_t number;	/* precision, or scanf's width; 0: none */
	enum length length;
	char letter; /* 0: the format ends */
};

/* Zero is in no set. */
static bool is_in(char c, const char *set)
{
	while (*set && *set != c)
		set++;
	return *set != 0;
}

static const char *number(const char *p, size_t *value)
{
	for (*value = 0; *p >= '0' && *p <= '9'; p++)
		*value = *value * 10 + (size_t)(*p - '0');
	return p;
}

static const char *length(const char *p, enum length *l)
{
	*l = PLAIN;
	switch (*p) {
	case 'h':
		*l = p[1] == 'h' ? CHAR : SHORT;
		return p + (p[1] == 'h' ? 2 : 1);
	case 'l':
		*l = p[1] == 'l' ? LONG_LONG : LONG;
		return p + (p[1] == 'l' ? 2 : 1);
	case 'q':
		*l = LONG_LONG;
		return p + 1;
	case 'j':
	case 'z':
	case 'Z':
	case 't':
		*l = LONG;
		return p + 1;
	case 'L':
		*l = LONG_DOUBLE;
		return p + 1;
	default:
		return p;
	}
}

/* Up to the next '%', or NULL at the end. */
static const char *next_percent(const char *p)
{
	while (*p && *p != '%')
		p++;
	return *p ? p + 1 : NULL;
}

/* ---- wide formats ---- */

struct narrow {
	char text[1024];
};

static struct narrow narrow_of(const wchar_t *format)
{
	struct narrow n;
	size_t i = 0;
	for (; format[i] && i < sizeof n.text - 1; i++)
		n.text[i] = format[i] > 0 && format[i] < 0x80 ? (char)format[i] : '?';
	n.text[i] = 0;
	return n;
}

/* ---- printf ---- */

/* p is behind the '%'; returns what is behind the conversion. */
static const char *print_conversion(const char *p, struct conversion *c)
{
	*c = (struct conversion){0};
	size_t width;
	while (is_in(*p, "-+ #0'I"))
		p++;
	if (*p == '*') {
		c->stars++;
		p++;
	}
	p = number(p, &width);
	c->numbered = *p == '$';
	if (*p == '.') {
		c->precise = true;
		p++;
		c->star_last = *p == '*';
		if (c->star_last) {
			c->stars++;
			p++;
		}
		p = number(p, &c->number);
	}
	p = length(p, &c->length);
	c->letter = *p;
	return *p ? p + 1 : p;
}

/* The bytes that %s reads. */
static void reads_string(const struct conversion *c, const void *s, int star, uint64_t pc)
{
	bool bounded = c->precise && !(c->star_last && star < 0);
	size_t most = !bounded	     ? SIZE_MAX
		      : c->star_last ? (size_t)star
				     : c->number,
	       n = 0;
	if (!s)
		return;
	if (c->length == LONG || c->letter == 'S') {
		const wchar_t *w = s;
		while (n < most && w[n])
			n++;
		dh_reads(s, (n + (n < most)) * sizeof *w, pc);
	} else {
		const char *t = s;
		while (n < most && t[n])
			n++;
		dh_reads(s, n + (n < most), pc);
	}
}

static size_t count_size(enum length l)
{
	return l == CHAR ? 1 : l == SHORT ? 2 : l == PLAIN ? sizeof(int) : sizeof(long);
}

static void follow_printf(const char *format, va_list ap, uint64_t pc)
{
	struct conversion c;
	va_list args;
	va_copy(args, ap);
	for (const char *p = format; (p = next_percent(p));) {
		p = print_conversion(p, &c);
		if (!c.letter || c.numbered)
			break;
		int star = 0;
		for (int i = 0; i < c.stars; i++)
			star = va_arg(args, int);
		if (is_in(c.letter, "sS"))
			reads_string(&c, va_arg(args, const void *), star, pc);
		else if (c.letter == 'n')
			dh_writes(va_arg(args, void *), count_size(c.length), pc);
		else if (is_in(c.letter, "aAeEfFgG") && c.length == LONG_DOUBLE)
			(void)va_arg(args, long double);
		else if (is_in(c.letter, "aAeEfFgG"))
			(void)va_arg(args, double);
		else if (c.letter == 'p' || c.length >= LONG)
			(void)va_arg(args, void *);
		else if (c.letter != '%' && c.letter != 'm')
			(void)va_arg(args, int);
	}
	va_end(args);
}

void dh_printf_touches(const char *format, va_list ap, uint64_t pc)
{
	if (!dh_touches(pc))
		return;
	dh_reads_text(format, pc);
	follow_printf(format, ap, pc);
}

void dh_wprintf_touches(const wchar_t *format, va_list ap, uint64_t pc)
{
	if (!dh_touches(pc))
		return;
	struct narrow n = narrow_of(format);
	dh_reads_wide_text(format, pc);
	follow_printf(n.text, ap, pc);
}

/* ---- scanf ---- */

/* Behind the ']' of a set that starts at p, which is behind its '['. */
static const char *skip_set(const char *p)
{
	p += *p == '^';
	p += *p == ']';
	while (*p && *p != ']')
		p++;
	return *p ? p + 1 : p;
}

static const char *scan_conversion(const char *p, enum dh_a a, struct conversion *c)
{
	*c = (struct conversion){0};
	while (is_in(*p, "*'I"))
		c->skip |= *p++ == '*';
	p = number(p, &c->number);
	c->numbered = *p == '$';
	if (*p == 'm' || (*p == 'a' && a == DH_A_ALLOCATES && is_in(p[1], "sS["))) {
		c->allocates = true;
		p++;
	}
	p = length(p, &c->length);
	c->letter = *p;
	if (*p == '[')
		return skip_set(p + 1);
	return *p ? p + 1 : p;
}

/* The bytes of a text, or of characters, that an assignment has written. */
static size_t text_size(const struct conversion *c, const void *to)
{
	bool wide = c->length == LONG || is_in(c->letter, "SC");
	size_t unit = wide ? sizeof(wchar_t) : 1;
	if (is_in(c->letter, "cC"))
		return (c->number ? c->number : 1) * unit;
	return ((wide ? dh_wide_length(to) : dh_bytes_length(to)) + 1) * unit;
}

static size_t number_size(const struct conversion *c)
{
	if (is_in(c->letter, "aAeEfFgG"))
		return c->length == LONG_DOUBLE ? sizeof(long double)
		       : c->length >= LONG	? sizeof(double)
						: sizeof(float);
	return c->letter == 'p' ? sizeof(void *) : count_size(c->length);
}

static void has_assigned(const struct conversion *c, void *to, uint64_t pc)
{
	bool text = is_in(c->letter, "sS[cC");
	if (text && c->allocates) {
		dh_writes(to, sizeof(void *), pc);
		to = *(void **)to;
	}
	dh_writes(to, text ? text_size(c, to) : number_size(c), pc);
}

static void follow_scanf(const char *format, va_list ap, int done, enum dh_a a,
			 uint64_t pc)
{
	struct conversion c;
	va_list args;
	va_copy(args, ap);
	for (const char *p = format; (p = next_percent(p));) {
		p = scan_conversion(p, a, &c);
		if (!c.letter || c.numbered)
			break;
		if (c.letter == '%' || c.skip)
			continue;
		/* %n is no assignment: done only if those before it are. */
		if (c.letter != 'n' && done-- <= 0)
			break;
		has_assigned(&c, va_arg(args, void *), pc);
	}
	va_end(args);
}

void dh_scanf_touches(const char *format, va_list ap, int done, enum dh_a a, uint64_t pc)
{
	if (!dh_touches(pc))
		return;
	dh_reads_text(format, pc);
	follow_scanf(format, ap, done, a, pc);
}

void dh_wscanf_touches(const wchar_t *format, va_list ap, int done, enum dh_a a,
		       uint64_t pc)
{
	if (!dh_touches(pc))
		return;
	struct narrow n = narrow_of(format);
	dh_reads_wide_text(format, pc);
	follow_scanf(n.text, ap, done, a, pc);
}
