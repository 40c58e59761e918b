/* SPDX-License-Identifier: MIT */
/* See pass.h. */
#include "pass/pass.h"
#include "pass/batch.h"
#include "pass/frames.h"
#include "pass/hoist.h"
#include "pass/llvm.h"
#include "pass/repeats.h"

#include <string.h>

bool dh_pass_is_bitcode(const char *text, size_t size)
{
	return size >= 4 && memcmp(text, "BC\xc0\xde", 4) == 0;
}

static struct ll_module *read_module(struct ll_context *context, const char *text,
				     size_t size)
{
	struct ll_module *module = NULL;
	struct ll_buffer *buffer =
	    dh_ll.CreateMemoryBufferWithMemoryRangeCopy(text, size, "");
	return dh_ll.ParseBitcodeInContext2(context, buffer, &module) ? NULL : module;
}

/* False: LLVM does not know it, or it failed. */
static bool run(struct ll_module *module, const char *passes)
{
	return !dh_ll.RunPasses(module, passes, NULL, dh_ll.CreatePassBuilderOptions());
}

/* Something to do with one function: how many calls were moved or removed. */
typedef unsigned work_fn(struct ll_context *context, struct ll_module *module,
			 const struct dh_cfg *g);

static unsigned accesses(struct ll_context *context, struct ll_module *module,
			 const struct dh_cfg *g)
{
	unsigned n = dh_repeats(g, dh_ll.GetModuleDataLayout(module));
	return n + dh_hoist(context, module, g);
}

static unsigned with_all(struct ll_context *context, struct ll_module *module,
			 work_fn *work)
{
	unsigned n = 0;
	struct ll_value *f = dh_ll.GetFirstFunction(module);
	for (; f; f = dh_ll.GetNextFunction(f)) {
		struct dh_cfg g;
		if (!dh_ll.GetFirstBasicBlock(f) || !dh_cfg_make(&g, f))
			continue;
		n += work(context, module, &g);
		dh_cfg_drop(&g);
	}
	return n;
}

static bool change(struct ll_context *context, struct ll_module *module)
{
	unsigned n = with_all(context, module, accesses);
	if (n)
		dh_batch(context, module);
	return with_all(context, module, dh_frames) + n;
}

/* Nothing is given back: the program that this is part of has no other work. */
bool dh_pass_run(const char *library, const char *text, size_t size, int fd)
{
	enum { RETURN_STATUS = 2 };
	char *message;
	if (!dh_llvm_load(library))
		return false;
	struct ll_context *context = dh_ll.ContextCreate();
	struct ll_module *module = read_module(context, text, size);
	return module && run(module, "function(early-cse,loop-simplify,lcssa)") &&
	       change(context, module) &&
	       !dh_ll.VerifyModule(module, RETURN_STATUS, &message) &&
	       run(module, "function(early-cse)") &&
	       dh_ll.WriteBitcodeToFD(module, fd, 0, 0) == 0;
}
