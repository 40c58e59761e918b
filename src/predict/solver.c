/* SPDX-License-Identifier: MIT */
/* Z3 behind the few words of solver.h. */
#include "predict/solver.h"
#include "base/vec.h"

#include <z3.h>

enum {
	/* Z3's steps in a millisecond, measured roughly; the clock gives it this much
	 * more time before it takes the question away. */
	STEPS_PER_MS = 2000,
	CLOCK_FACTOR = 20,
	CLOCK_LEAST = 30000, /* and never less than this, in milliseconds */
};

struct dh_solver {
	Z3_context context;
	Z3_solver solver;
	Z3_sort sort;
	Z3_ast zero;
	Z3_model model;
	bool failed; /* Z3 gave an error; nothing it says counts any more */
	struct dh_vec(Z3_ast) unknowns;
};

static void on_error(Z3_context context, Z3_error_code code)
{
	(void)context;
	(void)code; /* seen by whoever asks next: Z3_get_error_code() */
}

static void set_number(Z3_context c, Z3_params p, const char *name, uint64_t value)
{
	Z3_params_set_uint(c, p, Z3_mk_string_symbol(c, name),
			   (unsigned)DH_MIN(value, (uint64_t)INT32_MAX));
}

/* Both ways of difference logic are asked for by number, since what Z3 chooses by itself
 * for these formulas is several times slower. */
static void set_up(struct dh_solver *s, uint32_t patience, bool dense)
{
	enum { BELLMAN_FORD = 1, FLOYD_WARSHALL = 3 };
	Z3_context c = s->context;
	Z3_params p = Z3_mk_params(c);
	Z3_params_inc_ref(c, p);
	Z3_params_set_bool(c, p, Z3_mk_string_symbol(c, "auto_config"), false);
	set_number(c, p, "arith.solver", dense ? FLOYD_WARSHALL : BELLMAN_FORD);
	set_number(c, p, "relevancy", 0);
	set_number(c, p, "rlimit", (uint64_t)patience * STEPS_PER_MS);
	set_number(c, p, "timeout",
		   DH_MAX((uint64_t)patience * CLOCK_FACTOR, (uint64_t)CLOCK_LEAST));
	Z3_solver_set_params(c, s->solver, p);
	Z3_params_dec_ref(c, p);
}

struct dh_solver *dh_solver_new(uint32_t patience, bool dense)
{
	struct dh_solver *s = dh_mem_alloc(sizeof *s);
	Z3_config config = Z3_mk_config();
	s->context = Z3_mk_context(config);
	Z3_del_config(config);
	Z3_set_error_handler(s->context, on_error);
	s->solver = Z3_mk_simple_solver(s->context);
	Z3_solver_inc_ref(s->context, s->solver);
	set_up(s, patience, dense);
	s->sort = Z3_mk_int_sort(s->context);
	s->zero = Z3_mk_int(s->context, 0, s->sort);
	return s;
}

static void drop_model(struct dh_solver *s)
{
	if (s->model)
		Z3_model_dec_ref(s->context, s->model);
	s->model = NULL;
}

void dh_solver_free(struct dh_solver *s)
{
	if (!s)
		return;
	drop_model(s);
	Z3_solver_dec_ref(s->context, s->solver);
	Z3_del_context(s->context);
	dh_vec_free(&s->unknowns);
	dh_mem_free(s, sizeof *s);
}

uint32_t dh_solver_unknown(struct dh_solver *s)
{
	uint32_t n = (uint32_t)s->unknowns.len;
	Z3_symbol name = Z3_mk_int_symbol(s->context, (int)n);
	dh_vec_push(&s->unknowns, Z3_mk_const(s->context, name, s->sort));
	return n;
}

dh_formula dh_solver_less(struct dh_solver *s, uint32_t x, uint32_t y)
{
	return Z3_mk_lt(s->context, s->unknowns.at[x], s->unknowns.at[y]);
}

dh_formula dh_solver_in(struct dh_solver *s, uint32_t x)
{
	return Z3_mk_lt(s->context, s->unknowns.at[x], s->zero);
}

dh_formula dh_solver_out(struct dh_solver *s, uint32_t x)
{
	return Z3_mk_ge(s->context, s->unknowns.at[x], s->zero);
}

dh_formula dh_solver_or(struct dh_solver *s, uint32_t n, const dh_formula *parts)
{
	return n == 1 ? parts[0] : Z3_mk_or(s->context, n, parts);
}

dh_formula dh_solver_and(struct dh_solver *s, uint32_t n, const dh_formula *parts)
{
	return n == 1 ? parts[0] : Z3_mk_and(s->context, n, parts);
}

void dh_solver_assert(struct dh_solver *s, dh_formula f)
{
	Z3_solver_assert(s->context, s->solver, f);
}

void dh_solver_push(struct dh_solver *s)
{
	Z3_solver_push(s->context, s->solver);
}

void dh_solver_pop(struct dh_solver *s)
{
	drop_model(s);
	Z3_solver_pop(s->context, s->solver, 1);
}

enum dh_answer dh_solver_ask(struct dh_solver *s)
{
	drop_model(s);
	s->failed |= Z3_get_error_code(s->context) != Z3_OK;
	if (s->failed)
		return DH_UNKNOWN;
	Z3_lbool found = Z3_solver_check(s->context, s->solver);
	if (found == Z3_L_FALSE)
		return DH_NO;
	if (found != Z3_L_TRUE)
		return DH_UNKNOWN;
	s->model = Z3_solver_get_model(s->context, s->solver);
	Z3_model_inc_ref(s->context, s->model);
	return DH_YES;
}

int64_t dh_solver_value(struct dh_solver *s, uint32_t x)
{
	Z3_ast value = NULL;
	int64_t number = 0;
	if (Z3_model_eval(s->context, s->model, s->unknowns.at[x], true, &value))
		Z3_get_numeral_int64(s->context, value, &number);
	return number;
}
