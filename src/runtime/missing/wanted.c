/* SPDX-License-Identifier: MIT */
/* See wanted.h. */
#include "runtime/missing/wanted.h"
#include "base/glob.h"
#include "runtime/flags.h"
#include "runtime/text.h"

#define DH_MISSING_NEVER(function) function,
#define DH_MISSING_PLAIN(file)
#define DH_MISSING_ORDERS(file, function)
static const char *const never[] = {
#include "runtime/missing/missing.def"
};
#undef DH_MISSING_NEVER
#undef DH_MISSING_PLAIN
#undef DH_MISSING_ORDERS

#define DH_MISSING_NEVER(function)
#define DH_MISSING_PLAIN(file)		  {file, NULL},
#define DH_MISSING_ORDERS(file, function) {file, function},
static const struct {
	const char *file, *orders;
} plain[] = {
#include "runtime/missing/missing.def"
};
#undef DH_MISSING_NEVER
#undef DH_MISSING_PLAIN
#undef DH_MISSING_ORDERS

static bool matches(const char *pattern, const char *name)
{
	return dh_glob(pattern, dh_text_length(pattern), name, true);
}

static const char *file_of(const char *path)
{
	const char *file = path;
	for (; *path; path++)
		if (*path == '/')
			file = path + 1;
	return file;
}

static bool is_never(const char *function)
{
	for (size_t i = 0; i < DH_ARRAY_LEN(never); i++)
		if (matches(never[i], function))
			return true;
	return false;
}

static bool is_plain(const char *file, const char *function)
{
	bool is = false;
	for (size_t i = 0; i < DH_ARRAY_LEN(plain); i++) {
		if (!matches(plain[i].file, file))
			continue;
		if (plain[i].orders && matches(plain[i].orders, function))
			return false;
		is = true;
	}
	return is;
}

static bool parts(char c)
{
	return c == ',' || c == ' ' || c == '\t' || c == '\n';
}

static bool is_listed(const char *patterns, const char *file, const char *function)
{
	while (*patterns) {
		size_t len = 0;
		while (patterns[len] && !parts(patterns[len]))
			len++;
		if (len && (dh_glob(patterns, len, file, true) ||
			    dh_glob(patterns, len, function, true)))
			return true;
		patterns += len + (patterns[len] != '\0');
	}
	return false;
}

bool dh_missing_counts(const char *path, const char *function)
{
	const char *file = file_of(path);
	if (is_never(function) || is_listed(dh_flags.no_missing, file, function))
		return false;
	if (*dh_flags.missing)
		return is_listed(dh_flags.missing, file, function);
	return !is_plain(file, function);
}

bool dh_missing_plain(const char *path)
{
	return is_plain(file_of(path), "");
}
