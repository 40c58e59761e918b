/* SPDX-License-Identifier: MIT */
/* See instruction.h. */
#include "assembler/instruction.h"

#define LEN(a) (sizeof(a) / sizeof *(a))

/* ---- registers ---- */

/* The general registers by their size: 8, 4, 2 and 1 bytes, and the second byte. */
static const char *const registers[][5] = {
    {"rax", "eax", "ax", "al", "ah"},	 {"rbx", "ebx", "bx", "bl", "bh"},
    {"rcx", "ecx", "cx", "cl", "ch"},	 {"rdx", "edx", "dx", "dl", "dh"},
    {"rsi", "esi", "si", "sil", ""},	 {"rdi", "edi", "di", "dil", ""},
    {"rbp", "ebp", "bp", "bpl", ""},	 {"r8", "r8d", "r8w", "r8b", ""},
    {"r9", "r9d", "r9w", "r9b", ""},	 {"r10", "r10d", "r10w", "r10b", ""},
    {"r11", "r11d", "r11w", "r11b", ""}, {"r12", "r12d", "r12w", "r12b", ""},
    {"r13", "r13d", "r13w", "r13b", ""}, {"r14", "r14d", "r14w", "r14b", ""},
    {"r15", "r15d", "r15w", "r15b", ""},
};
static const unsigned sizes[] = {8, 4, 2, 1, 1};

/* Its size, 0 where it is not a general register; not the stack pointer. */
static unsigned register_size(struct dh_text operand, const char **whole)
{
	if (operand.at == operand.end || *operand.at++ != '%')
		return 0;
	operand = dh_text_trim(operand);
	for (size_t i = 0; i < LEN(registers); i++)
		for (size_t k = 0; k < LEN(sizes); k++)
			if (dh_text_is(operand, registers[i][k])) {
				*whole = registers[i][0];
				return sizes[k];
			}
	return 0;
}

/* ---- operands ---- */

enum { MOST_OPERANDS = 3 };

struct operands {
	struct dh_text at[MOST_OPERANDS];
	size_t count;
};

/* Commas part them, but for those in parentheses. */
static bool split(struct dh_text text, struct operands *found)
{
	int depth = 0;
	const char *from = text.at;
	*found = (struct operands){0};
	for (const char *at = text.at; at <= text.end; at++) {
		if (at < text.end && (*at == '(' || *at == ')'))
			depth += *at == '(' ? 1 : -1;
		if (at < text.end && (*at != ',' || depth > 0))
			continue;
		if (found->count == MOST_OPERANDS)
			return false;
		struct dh_text one = dh_text_trim((struct dh_text){from, at});
		if (one.at == one.end)
			return false;
		found->at[found->count++] = one;
		from = at + 1;
	}
	return depth == 0;
}

static bool is_constant(struct dh_text operand)
{
	return *operand.at == '$';
}

/* Is there a name before the registers, and not just numbers? */
static bool names_symbol(struct dh_text operand)
{
	while (operand.at < operand.end && *operand.at != '(') {
		struct dh_text word = dh_text_word(&operand);
		if (word.at == word.end)
			operand.at++;
		else if (*word.at < '0' || *word.at > '9')
			return dh_text_len(word) > 1 || *word.at != '.';
	}
	return false;
}

/* In memory, at an address that `lea` can compute anywhere. That of an operand with a
 * segment (%fs:...) it cannot, nor that of one a number of bytes behind the instruction.
 */
static bool is_memory(struct dh_text operand)
{
	if (strchr("%$*{", *operand.at) || dh_text_find(operand, ":") ||
	    dh_text_find(operand, "%esp") || dh_text_find(operand, "{"))
		return false;
	return !dh_text_find(operand, "%rip") || names_symbol(operand);
}

static void take_operand(struct dh_instruction *i, struct dh_text operand)
{
	i->operand = operand;
	i->on_stack = dh_text_find(operand, "%rsp") != NULL;
}

/* ---- mnemonics ---- */

/* Takes the prefixes off; did they have a lock? */
static bool take_prefixes(struct dh_text *t)
{
	static const char *const others[] = {"xacquire", "xrelease", "rep", "repz",
					     "repnz",	 "data16",   "ds",  "cs"};
	bool locked = false, more = true;
	while (more) {
		*t = dh_text_trim(*t);
		struct dh_text rest = *t, word = dh_text_word(&rest);
		more = dh_text_is(word, "lock");
		locked |= more;
		for (size_t i = 0; i < LEN(others) && !more; i++)
			more = dh_text_is(word, others[i]);
		if (more)
			*t = rest;
	}
	return locked;
}

bool dh_instruction_is_prefix(struct dh_text statement, bool *locked)
{
	*locked |= take_prefixes(&statement);
	return statement.at == statement.end;
}

/* The size that a suffix stands for; 0 where it stands for none. */
static unsigned suffix_size(char c)
{
	const char *const all = "bwlq", *at = c ? strchr(all, c | 0x20) : NULL;
	return at ? 1u << (at - all) : 0;
}

/* Is the word this mnemonic, with or without a suffix? *size is 0 without. */
static bool is_mnemonic(struct dh_text word, const char *name, unsigned *size)
{
	size_t n = strlen(name);
	*size = 0;
	if (dh_text_is(word, name))
		return true;
	if (dh_text_len(word) != n + 1 || !dh_text_starts(word, name))
		return false;
	*size = suffix_size(word.at[n]);
	return *size != 0;
}

static const struct mnemonic {
	const char *name;
	enum dh_asm_what what;
	unsigned operands;
	unsigned size; /* where that is not to be seen from suffix or registers */
} modifying[] = {
    {"add", DH_ASM_MODIFY, 2, 0},
    {"adc", DH_ASM_MODIFY, 2, 0},
    {"and", DH_ASM_MODIFY, 2, 0},
    {"or", DH_ASM_MODIFY, 2, 0},
    {"xor", DH_ASM_MODIFY, 2, 0},
    {"sub", DH_ASM_MODIFY, 2, 0},
    {"sbb", DH_ASM_MODIFY, 2, 0},
    {"inc", DH_ASM_MODIFY, 1, 0},
    {"dec", DH_ASM_MODIFY, 1, 0},
    {"neg", DH_ASM_MODIFY, 1, 0},
    {"not", DH_ASM_MODIFY, 1, 0},
    {"xadd", DH_ASM_MODIFY, 2, 0},
    {"xchg", DH_ASM_MODIFY, 2, 0},
    {"bts", DH_ASM_BIT, 2, 0},
    {"btr", DH_ASM_BIT, 2, 0},
    {"btc", DH_ASM_BIT, 2, 0},
    {"cmpxchg", DH_ASM_COMPARE, 2, 0},
    {"cmpxchg8b", DH_ASM_COMPARE_PAIR, 1, 8},
    {"cmpxchg16b", DH_ASM_COMPARE_PAIR, 1, 16},
};

static const struct mnemonic *find(struct dh_text word, unsigned *size)
{
	for (size_t i = 0; i < LEN(modifying); i++)
		if (is_mnemonic(word, modifying[i].name, size))
			return &modifying[i];
	return NULL;
}

static const struct fence {
	const char *name;
	int order;
} fences[] = {
    {"mfence", __ATOMIC_SEQ_CST},
    {"lfence", __ATOMIC_ACQUIRE},
    {"sfence", __ATOMIC_RELEASE},
};

static bool read_fence(struct dh_text word, struct dh_instruction *found)
{
	for (size_t i = 0; i < LEN(fences); i++)
		if (dh_text_is(word, fences[i].name)) {
			found->what = DH_ASM_FENCE;
			found->size = (unsigned)fences[i].order;
			return true;
		}
	return false;
}

/* ---- instructions ---- */

/* A locked instruction that leaves the stack as it was, for the sake of the lock. */
static bool is_idle(const struct dh_instruction *i, struct dh_text word,
		    const struct operands *o)
{
	return i->on_stack && o->count == 2 && dh_text_is(o->at[0], "$0") &&
	       (dh_text_starts(word, "add") || dh_text_starts(word, "or") ||
		dh_text_starts(word, "xor") || dh_text_starts(word, "sub"));
}

/* The register, if there is one, has the size and of a bit the number. */
static bool read_register(struct dh_instruction *i, struct dh_text operand)
{
	const char *whole;
	unsigned size = register_size(operand, &whole);
	if (!size)
		return is_constant(operand);
	if (i->size && i->size != size)
		return false;
	i->size = size;
	if (i->what == DH_ASM_BIT)
		i->index = whole;
	return true;
}

static bool read_modifying(struct dh_text word, struct dh_text rest, bool locked,
			   struct dh_instruction *found)
{
	struct operands o;
	unsigned size;
	const struct mnemonic *m = find(word, &size);
	bool exchange = m && strcmp(m->name, "xchg") == 0;
	if (!m || !(locked || exchange) || !split(rest, &o) || o.count != m->operands)
		return false;
	struct dh_text memory = o.at[o.count - 1], other = o.at[0];
	if (exchange && is_memory(other)) {
		other = memory;
		memory = o.at[0];
	}
	found->what = m->what;
	found->size = m->size ? m->size : size;
	if (!is_memory(memory) || (o.count == 2 && !read_register(found, other)))
		return false;
	/* What the assembler takes it for, with a warning. */
	if (!found->size)
		found->size = 4;
	/* A constant number is one within the operand. */
	if (found->what == DH_ASM_BIT && !found->index)
		found->what = DH_ASM_MODIFY;
	take_operand(found, memory);
	if (is_idle(found, word, &o)) {
		found->what = DH_ASM_FENCE;
		found->size = __ATOMIC_SEQ_CST;
	}
	return true;
}

bool dh_instruction_read(struct dh_text statement, bool locked,
			 struct dh_instruction *found)
{
	*found = (struct dh_instruction){0};
	locked |= take_prefixes(&statement);
	struct dh_text word = dh_text_word(&statement);
	statement = dh_text_trim(statement);
	if (statement.at == statement.end)
		return read_fence(word, found);
	return read_modifying(word, statement, locked, found);
}

/* ---- moves ---- */

/* A load that widens; the size is that of what is in memory. */
static unsigned widening(struct dh_text word)
{
	static const char *const all[] = {"movzbw", "movzbl", "movzbq", "movsbw",
					  "movsbl", "movsbq", "movzwl", "movzwq",
					  "movswl", "movswq", "movslq"};
	for (size_t i = 0; i < LEN(all); i++)
		if (dh_text_is(word, all[i]))
			return suffix_size(all[i][4]);
	return 0;
}

bool dh_instruction_read_move(struct dh_text statement, struct dh_instruction *found)
{
	struct operands o;
	const char *whole;
	unsigned size = 0;
	*found = (struct dh_instruction){0};
	statement = dh_text_trim(statement);
	struct dh_text word = dh_text_word(&statement);
	unsigned narrow = widening(word);
	if ((!narrow && !is_mnemonic(word, "mov", &size)) ||
	    !split(dh_text_trim(statement), &o) || o.count != 2)
		return false;
	bool load = is_memory(o.at[0]);
	struct dh_text memory = o.at[load ? 0 : 1], other = o.at[load ? 1 : 0];
	unsigned other_size = register_size(other, &whole);
	bool possible = load ? other_size != 0 : other_size != 0 || is_constant(other);
	if (!is_memory(memory) || !possible || (narrow && !load))
		return false;
	found->what = load ? DH_ASM_LOAD : DH_ASM_STORE;
	found->size = narrow ? narrow : size ? size : other_size;
	take_operand(found, memory);
	return found->size != 0;
}
