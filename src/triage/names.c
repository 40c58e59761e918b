/* SPDX-License-Identifier: MIT */
/*
 * See names.h. One pass over the text: what is in brackets is skipped with all brackets
 * in it, the rest is copied. Text in which brackets do not match is copied from there as
 * it is.
 */
#include "triage/names.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct scan {
	const char *p;
	struct dh_name *to;
	size_t component; /* where the last part after a :: begins, in `to` */
};

static void put(struct scan *s, const char *text, size_t len)
{
	len = DH_MIN(len, DH_NAME_MAX - 1 - s->to->len);
	memcpy(s->to->text + s->to->len, text, len);
	s->to->len += len;
}

static void put_text(struct scan *s, const char *text)
{
	put(s, text, strlen(text));
}

static bool begins(const char *p, const char *with)
{
	return strncmp(p, with, strlen(with)) == 0;
}

static bool is_word(char c)
{
	return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') ||
	       c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Past the bracket that closes the one at p, or NULL. The arrow of an expression and the
 * names of operators have brackets that close nothing. */
static const char *past_bracket(const char *p)
{
	static const char open[] = "<([{", close[] = ">)]}";
	char stack[64];
	size_t depth = 0;
	for (; *p; p++) {
		const char *o = strchr(open, *p), *c = strchr(close, *p);
		if (begins(p, "->")) {
			p++;
		} else if (begins(p, "operator")) {
			p += 8;
			while (*p && strchr("<>=-", *p))
				p++;
			p--;
		} else if (o) {
			if (depth == sizeof stack)
				return NULL;
			stack[depth++] = close[o - open];
		} else if (c && depth) {
			if (*c != '>') /* what is open within is a comparison */
				while (depth > 1 && stack[depth - 1] == '>')
					depth--;
			else if (stack[depth - 1] != '>')
				continue;
			if (stack[--depth] != *c)
				return NULL;
			if (depth == 0)
				return p + 1;
		}
	}
	return NULL;
}

/* ---- parts of a name ---- */

static bool at_component(const struct scan *s)
{
	return s->to->len == s->component;
}

/* `{lambda(int)#1}`, `<lambda(int)>`, `'lambda'`, `$_0`, `(anonymous)` with a call
 * operator: gcc, its debug information, LLVM's demangler, clang, our own. */
static const char *lambda(const char *p)
{
	if (begins(p, "{lambda") || begins(p, "<lambda") || begins(p, "{unnamed type"))
		return past_bracket(p);
	if (begins(p, "(anonymous)::operator()") || begins(p, "(anonymous class)"))
		return past_bracket(p);
	if (begins(p, "'lambda") || begins(p, "'unnamed")) {
		const char *end = strchr(p + 1, '\'');
		return end && end[1] == '(' ? past_bracket(end + 1)
		       : end		    ? end + 1
					    : NULL;
	}
	if (begins(p, "$_") && is_digit(p[2])) {
		p += 2;
		while (is_digit(*p))
			p++;
		return p;
	}
	return NULL;
}

static const char *unnamed(const char *p)
{
	return begins(p, "(anonymous namespace)") || begins(p, "(anonymous)") ||
		       begins(p, "{anonymous}") || begins(p, "<unnamed>")
		   ? past_bracket(p)
		   : NULL;
}

/* `operator` and the symbol or type that it is for; the scan is at its first letter. */
static void operator_name(struct scan *s)
{
	const char *p = s->p + strlen("operator");
	if (begins(p, "()")) {
		p += 2;
	} else if (*p == ' ') { /* new, delete[], a type, a literal's suffix */
		size_t n = strcspn(p, "(<");
		p += n;
	} else {
		p += strspn(p, "<>=!+-*/%^&|~,[]");
	}
	put(s, s->p, (size_t)(p - s->p));
	s->p = p + begins(p, " <"); /* so that the two are not one sign */
}

/* Where a clone's suffix begins, or the version of a symbol, the name is over. */
static bool is_suffix(const char *p)
{
	static const char *const suffixes[] = {"part",	     "constprop", "isra",
					       "cold",	     "lto_priv",  "llvm",
					       "localalias", "clone",	  "__uniq"};
	if (*p == '@' || begins(p, "[clone") || begins(p, " [clone"))
		return true;
	if (*p != '.')
		return false;
	for (size_t i = 0; i < DH_ARRAY_LEN(suffixes); i++)
		if (begins(p + 1, suffixes[i]) && !is_word(p[1 + strlen(suffixes[i])]))
			return true;
	return false;
}

/* Namespaces that only say which version of the library it is. */
static bool is_version(const char *part, size_t len)
{
	static const char *const versions[] = {"__1", "__cxx11", "_V2", "__ndk1"};
	for (size_t i = 0; i < DH_ARRAY_LEN(versions); i++)
		if (strlen(versions[i]) == len && memcmp(part, versions[i], len) == 0)
			return true;
	return false;
}

/* The scan is at "::". */
static void separator(struct scan *s)
{
	struct dh_name *to = s->to;
	s->p += 2;
	if (s->component && is_version(to->text + s->component, to->len - s->component))
		to->len = s->component;
	else
		put_text(s, "::");
	s->component = to->len;
}

/* The scan is at the parameters. False where the name is over with them. */
static bool parameters(struct scan *s)
{
	const char *end = past_bracket(s->p);
	if (!end) {
		put_text(s, s->p);
		return false;
	}
	s->p = end + (begins(end, " const") ? 6 : 0);
	return begins(s->p, "::"); /* something inside of the function */
}

/* One step; false at the end of the name. */
static bool step(struct scan *s)
{
	const char *end;
	char c = *s->p;
	if (!c || is_suffix(s->p))
		return false;
	if (at_component(s) && (end = lambda(s->p))) {
		put_text(s, "{lambda}");
		s->p = end + (begins(end, "::operator()") ? strlen("::operator()") : 0);
	} else if (at_component(s) && (end = unnamed(s->p))) {
		put_text(s, "{unnamed}");
		s->p = end;
	} else if (at_component(s) && begins(s->p, "operator") && !is_word(s->p[8])) {
		operator_name(s);
	} else if (begins(s->p, "::")) {
		separator(s);
	} else if (c == '(') {
		return parameters(s);
	} else if ((c == '<' || begins(s->p, "[abi:")) && (end = past_bracket(s->p))) {
		s->p = end;
	} else if (c == ' ') { /* what came before is the type of the result */
		s->p++;
		s->to->len = s->component = 0;
	} else {
		put(s, s->p++, 1);
	}
	return true;
}

/* Rust ends names with a hash of the build. */
static void drop_hash(struct dh_name *n)
{
	enum { LEN = 19 }; /* "::h" and 16 digits */
	char *at = n->len > LEN ? n->text + n->len - LEN : n->text;
	if (n->len > LEN && begins(at, "::h") &&
	    strspn(at + 3, "0123456789abcdef") == 16) {
		n->len -= LEN;
		*at = '\0';
	}
}

void dh_name_function(const char *function, struct dh_name *to)
{
	struct scan s = {.p = function, .to = to};
	to->len = 0;
	while (step(&s))
		;
	if (!to->len)
		put_text(&s, function);
	to->text[to->len] = '\0';
	drop_hash(to);
}

/* ---- variables ---- */

void dh_name_variable(const char *name, const char *part, struct dh_name *to)
{
	struct scan s = {.to = to};
	dh_name_function(name, to);
	/* gcc's names of static variables in functions: `calls.0` */
	size_t n = to->len;
	while (n > 0 && is_digit(to->text[n - 1]))
		n--;
	if (n > 1 && n < to->len && to->text[n - 1] == '.')
		to->len = n - 1;
	for (; part && *part; part++) {
		put(&s, part, 1);
		if (*part == '[' && is_digit(part[1]))
			while (is_digit(part[1]))
				part++;
	}
	to->text[to->len] = '\0';
}

/* ---- frames ---- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash && slash[1] ? slash + 1 : path;
}

void dh_name_frame(const struct dh_finding_frame *f, struct dh_name *to)
{
	struct scan s = {.to = to};
	if (f->function) {
		dh_name_function(f->function, to);
		return;
	}
	to->len = 0;
	if (f->file) {
		put_text(&s, base_name(f->file));
	} else if (f->module) {
		char offset[24];
		snprintf(offset, sizeof offset, "+0x%" PRIx64, f->offset);
		put_text(&s, base_name(f->module));
		put_text(&s, offset);
	} else {
		put_text(&s, "?");
	}
	to->text[to->len] = '\0';
}

static bool begins_with_any(const char *text, const char *const *with, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (begins(text, with[i]))
			return true;
	return false;
}

static bool library_file(const char *file)
{
	static const char *const folders[] = {"/usr/include/", "/usr/lib/", "/usr/src/"};
	return begins_with_any(file, folders, DH_ARRAY_LEN(folders)) ||
	       strstr(file, "/include/c++/");
}

static bool library_module(const char *module)
{
	static const char *const names[] = {"libc.so",	  "libc-2",   "libpthread",
					    "libstdc++.", "libc++",   "libdeadheat",
					    "libtsan.",	  "ld-linux", "libm.so"};
	return begins_with_any(base_name(module), names, DH_ARRAY_LEN(names));
}

bool dh_frame_is_library(const struct dh_finding_frame *f)
{
	static const char *const functions[] = {"std::", "__gnu_cxx::", "operator new",
						"operator delete"};
	if (f->file)
		return library_file(f->file);
	if (f->module && library_module(f->module))
		return true;
	return f->function &&
	       begins_with_any(f->function, functions, DH_ARRAY_LEN(functions));
}

uint32_t dh_stack_own(const struct dh_finding_stack *s, uint32_t from)
{
	for (uint32_t i = from; i < s->len && !s->at[i]->lost; i++)
		if (!dh_frame_is_library(s->at[i]))
			return i;
	return from;
}

static bool says_it_allocates(const char *function)
{
	static const char *const parts[] = {"alloc", "strdup", "strndup", "memdup"};
	for (size_t i = 0; i < DH_ARRAY_LEN(parts); i++)
		if (strstr(function, parts[i]))
			return true;
	return false;
}

const struct dh_finding_frame *dh_stack_where(const struct dh_finding_stack *s)
{
	return s->len ? s->at[dh_stack_own(s, 0)] : NULL;
}

const struct dh_finding_frame *dh_stack_allocator(const struct dh_finding_stack *s)
{
	if (!s || !s->len)
		return NULL;
	struct dh_name name;
	uint32_t i = dh_stack_own(s, 0);
	for (;;) {
		dh_name_frame(s->at[i], &name);
		uint32_t next = dh_stack_own(s, i + 1);
		if (!says_it_allocates(name.text) || next >= s->len ||
		    s->at[next]->lost || dh_frame_is_library(s->at[next]))
			return s->at[i];
		i = next;
	}
}
