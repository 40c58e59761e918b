/* SPDX-License-Identifier: MIT */
/* See pass.h. */
#include "pass/pass.h"
#include "pass/batch.h"
#include "pass/hoist.h"
#include "pass/llvm.h"

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

/* Nothing is given back: the program that this is part of has no other work. */
bool dh_pass_run(const char *library, const char *text, size_t size, int fd)
{
	enum { RETURN_STATUS = 2 };
	char *message;
	if (!dh_llvm_load(library))
		return false;
	struct ll_context *context = dh_ll.ContextCreate();
	struct ll_module *module = read_module(context, text, size);
	if (!module || !run(module, "function(early-cse,loop-simplify,lcssa)") ||
	    !dh_hoist(context, module))
		return false;
	dh_batch(context, module);
	return !dh_ll.VerifyModule(module, RETURN_STATUS, &message) &&
	       run(module, "function(early-cse)") &&
	       dh_ll.WriteBitcodeToFD(module, fd, 0, 0) == 0;
}
