/* SPDX-License-Identifier: MIT */
/* The table and the parser of flags.h. dh_flags_init() is in flags_env.c. */
#include "runtime/flags.h"
#include "base/mem.h"
#include "base/nearest.h"

struct dh_flags dh_flags;

#define DH_FLAG_TEXT(name, argument, help)                                               \
	{#name, argument, help, offsetof(struct dh_flags, name), 0, 0, 0, DH_KIND_TEXT},
#define DH_FLAG_BOOL(name, help)                                                         \
	{#name, NULL, help, offsetof(struct dh_flags, name), 0, 0, 0, DH_KIND_BOOL},
#define DH_FLAG_NUMBER(name, value, least, most, help)                                   \
	{#name, "N",  help,  offsetof(struct dh_flags, name),                            \
	 least, most, value, DH_KIND_NUMBER},
#define DH_FLAG_CHOICE(name, choices, help)                                              \
	{#name, choices, help, offsetof(struct dh_flags, name), 0, 0, 0, DH_KIND_CHOICE},
const struct dh_flag dh_flag_table[] = {
#include "runtime/flags.def"
};
const size_t dh_flag_count = DH_ARRAY_LEN(dh_flag_table);

/* ---- text ---- */

static size_t length(const char *s)
{
	size_t n = 0;
	for (; s[n]; n++)
		__asm__ volatile(""); /* else the compiler makes a call of strlen of it */
	return n;
}

/* Appends what fits. */
static void say(struct dh_flag_error *e, const char *s)
{
	size_t at = length(e->text);
	for (; *s && at + 1 < sizeof e->text; at++)
		e->text[at] = *s++;
	e->text[at] = '\0';
}

static void say_number(struct dh_flag_error *e, uint32_t n)
{
	char digits[11];
	size_t at = sizeof digits - 1;
	digits[at] = '\0';
	do
		digits[--at] = (char)('0' + n % 10);
	while (n /= 10);
	say(e, digits + at);
}

/* Names are the same up to '-' and '_'. */
static char plain(char c)
{
	return c == '-' ? '_' : c;
}

static bool same_name(const char *a, const char *b)
{
	while (*a && plain(*a) == plain(*b)) {
		a++;
		b++;
	}
	return plain(*a) == plain(*b);
}

/* ---- options ---- */

static const struct dh_flag *find(const char *name)
{
	for (size_t i = 0; i < dh_flag_count; i++)
		if (same_name(name, dh_flag_table[i].name))
			return &dh_flag_table[i];
	return NULL;
}

static const char *nearest(const char *name)
{
	const char *best = dh_flag_table[0].name;
	for (size_t i = 1; i < dh_flag_count; i++)
		if (dh_nearest_distance(name, dh_flag_table[i].name) <
		    dh_nearest_distance(name, best))
			best = dh_flag_table[i].name;
	return best;
}

/* A name as the user writes it. */
static void say_name(struct dh_flag_error *e, const char *name)
{
	for (; *name; name++)
		say(e, (char[]){*name == '_' ? '-' : *name, '\0'});
}

static bool wrong_value(const struct dh_flag *o, const char *value,
			struct dh_flag_error *e)
{
	say(e, "option '");
	say_name(e, o->name);
	say(e, "' takes ");
	if (o->kind == DH_KIND_NUMBER) {
		say(e, "a whole number from ");
		say_number(e, o->least);
		say(e, " to ");
		say_number(e, o->most);
	} else {
		say(e, o->kind == DH_KIND_BOOL ? "yes or no" : o->argument);
	}
	say(e, value ? ", not '" : ", and has none");
	if (value) {
		say(e, value);
		say(e, "'");
	}
	return false;
}

static bool set_number(const struct dh_flag *o, uint32_t *to, const char *value)
{
	uint64_t n = 0;
	if (!*value)
		return false;
	for (; *value; value++) {
		if (*value < '0' || *value > '9' || n > UINT32_MAX)
			return false;
		n = n * 10 + (uint64_t)(*value - '0');
	}
	if (n < o->least || n > o->most)
		return false;
	*to = (uint32_t)n;
	return true;
}

/* The place of a word in a list with bars between. */
static bool set_choice(const char *choices, uint32_t *to, const char *value)
{
	size_t len = length(value);
	for (uint32_t i = 0;; i++) {
		size_t n = 0;
		while (choices[n] && choices[n] != '|')
			n++;
		if (n == len && dh_same(choices, value, n)) {
			*to = i;
			return true;
		}
		if (!choices[n])
			return false;
		choices += n + 1;
	}
}

static bool set_bool(bool *to, const char *value)
{
	uint32_t choice = 0;
	if (value && !set_choice("yes|no|1|0|true|false", &choice, value))
		return false;
	*to = choice % 2 == 0;
	return true;
}

/* An empty text is a constant, any other one is memory of its length. */
static void drop_text(const char **text)
{
	if (**text)
		dh_mem_free((char *)*text, length(*text) + 1);
	*text = "";
}

static bool set_text(const char **to, const char *value)
{
	size_t len = length(value);
	drop_text(to);
	if (!len)
		return true;
	char *copy = dh_mem_alloc(len + 1);
	dh_copy(copy, value, len);
	*to = copy;
	return true;
}

bool dh_flags_set(struct dh_flags *f, const char *name, const char *value,
		  struct dh_flag_error *e)
{
	e->text[0] = '\0';
	const struct dh_flag *o = find(name);
	if (!o) {
		say(e, "no option '");
		say(e, name);
		say(e, "'; did you mean '");
		say_name(e, nearest(name));
		say(e, "'?");
		return false;
	}
	void *place = (char *)f + o->offset;
	bool good = value || o->kind == DH_KIND_BOOL;
	if (good && o->kind == DH_KIND_TEXT)
		good = set_text(place, value);
	else if (good && o->kind == DH_KIND_BOOL)
		good = set_bool(place, value);
	else if (good && o->kind == DH_KIND_NUMBER)
		good = set_number(o, place, value);
	else if (good)
		good = set_choice(o->argument, place, value);
	return good || wrong_value(o, value, e);
}

void dh_flags_default(struct dh_flags *f)
{
	*f = (struct dh_flags){0};
	for (size_t i = 0; i < dh_flag_count; i++) {
		void *place = (char *)f + dh_flag_table[i].offset;
		if (dh_flag_table[i].kind == DH_KIND_TEXT)
			*(const char **)place = "";
		else if (dh_flag_table[i].kind == DH_KIND_NUMBER)
			*(uint32_t *)place = dh_flag_table[i].value;
	}
}

void dh_flags_free(struct dh_flags *f)
{
	for (size_t i = 0; i < dh_flag_count; i++)
		if (dh_flag_table[i].kind == DH_KIND_TEXT)
			drop_text((const char **)((char *)f + dh_flag_table[i].offset));
}

/* ---- the variable ---- */

static bool parts(char c)
{
	return c == ' ' || c == ':' || c == ',' || c == '\t' || c == '\n';
}

/* Copies one option, quotes taken off, to word (of as many bytes as the text has);
 * *value gets its value, or NULL. Returns where it ended. */
static const char *next_option(const char *at, char *word, char **value)
{
	char quote = '\0';
	*value = NULL;
	for (; *at && (quote || !parts(*at)); at++) {
		if (*at == quote) {
			quote = '\0';
		} else if (!quote && *value && (*at == '\'' || *at == '"')) {
			quote = *at;
		} else if (*at == '=' && !*value) {
			*word++ = '\0';
			*value = word;
		} else {
			*word++ = *at;
		}
	}
	*word = '\0';
	return at;
}

static bool parse(struct dh_flags *f, const char *text, struct dh_flag_error *e,
		  bool (*set)(struct dh_flags *, const char *, const char *,
			      struct dh_flag_error *))
{
	size_t room = length(text) + 1;
	char *word = dh_mem_alloc(room);
	bool good = true;
	while (good && *text) {
		if (parts(*text)) {
			text++;
			continue;
		}
		char *value;
		text = next_option(text, word, &value);
		good = set(f, word, value, e);
	}
	dh_mem_free(word, room);
	return good;
}

bool dh_flags_parse(struct dh_flags *f, const char *text, struct dh_flag_error *e)
{
	return parse(f, text, e, dh_flags_set);
}

/* ---- ThreadSanitizer's ---- */

/* Its files have the process's number behind the name. */
static bool set_log(struct dh_flags *f, const char *path, struct dh_flag_error *e)
{
	if (same_name(path, "stderr") || same_name(path, "stdout"))
		return dh_flags_set(f, "log", "", e);
	size_t len = length(path), room = len + sizeof ".%p";
	char *own = dh_mem_alloc(room);
	dh_copy(own, path, len);
	dh_copy(own + len, ".%p", sizeof ".%p");
	bool good = dh_flags_set(f, "log", own, e);
	dh_mem_free(own, room);
	return good;
}

/* What a wrong value means there is not ours to say: it is passed over, as is all that
 * has no counterpart. */
static bool set_theirs(struct dh_flags *f, const char *name, const char *value,
		       struct dh_flag_error *e)
{
	static const char *const names[][2] = {
	    {"exitcode", "exit_code"},
	    {"halt_on_error", "halt"},
	    {"suppressions", "suppressions"},
	    {"color", "colour"},
	};
	bool reports = true;
	if (same_name(name, "log_path") && value)
		set_log(f, value, e);
	if (same_name(name, "report_bugs") && set_bool(&reports, value) && !reports) {
		f->quiet = true;
		f->exit_code = 0;
	}
	for (size_t i = 0; i < DH_ARRAY_LEN(names); i++)
		if (same_name(name, names[i][0]))
			dh_flags_set(f, names[i][1], value, e);
	return true;
}

void dh_flags_parse_theirs(struct dh_flags *f, const char *text)
{
	struct dh_flag_error unused;
	parse(f, text, &unused, set_theirs);
}

/* Options of the engines that the host runs. */
static void check_hosted(const struct dh_flags *f, struct dh_flag_error *e)
{
	const struct {
		const char *name;
		bool set;
	} options[] = {
	    {"filter", f->filter != DH_FILTER_FRAME},
	    {"tree-limit", f->tree_limit != 0},
	    {"granularity", f->granularity != 0},
	    {"detection", f->detection != DH_DETECTION_ON},
	    {"stop-after-race", f->stop_after_race},
	    {"events", *f->events},
	};
	for (size_t i = 0; i < DH_ARRAY_LEN(options) && !e->text[0]; i++) {
		if (!options[i].set)
			continue;
		say(e, "option '");
		say(e, options[i].name);
		say(e, "': not with this engine; it goes with djit, lockset, multirace, "
		       "eraser, racetrack-basic, patent, goldilocks, "
		       "goldilocks-paper and log");
	}
}

bool dh_flags_check(const struct dh_flags *f, struct dh_flag_error *e)
{
	e->text[0] = '\0';
	if (f->fail_on == DH_FAIL_ON_POTENTIAL && f->engine == DH_ENGINE_FASTTRACK)
		say(e,
		    "option 'fail-on': the engine fasttrack has no findings of the grade "
		    "'potential'; those of recorded traces have (`deadheat analyze`)");
	bool about_missing = *f->missing || *f->no_missing ||
			     f->missing_cap != DH_MISSING_CAP || f->missing_afresh;
	if (!e->text[0] && about_missing && f->engine != DH_ENGINE_COUNT &&
	    f->engine != DH_ENGINE_RECORD)
		say(e, "options 'missing', 'no-missing', 'missing-cap', 'missing-afresh': the "
		       "engine does not ask for missing methods; `deadheat record` does");
	if (!e->text[0] && f->racetrack && f->engine != DH_ENGINE_RACETRACK)
		say(e, "option 'racetrack': goes with --engine racetrack");
	if (e->text[0])
		return false;
	if (f->engine < DH_ENGINE_DJIT || f->engine > DH_ENGINE_LOG)
		check_hosted(f, e);
	else if (f->tree_limit && f->filter < DH_FILTER_TREE)
		say(e, "option 'tree-limit': goes with --filter tree, tree-strict or span");
	return !e->text[0];
}
