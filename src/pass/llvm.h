/* SPDX-License-Identifier: MIT */
/*
 * What we use of LLVM's C interface, which is the same in all its versions: the library
 * of the compiler that is at work is loaded when there is something to do (llvm.c), so
 * that neither headers nor a library are needed to build, and bitcode is read by what
 * wrote it. The names are LLVM's without their first four letters.
 */
#ifndef DH_PASS_LLVM_H
#define DH_PASS_LLVM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct ll_context;
struct ll_module;
struct ll_value;
struct ll_type;
struct ll_block;
struct ll_builder;
struct ll_layout;
struct ll_buffer;
struct ll_place; /* in the source, as debug information has it */
struct ll_comdat;
struct ll_options;

/* F(name, result, arguments) are needed; M(...) may be missing, and are NULL then. */
#define DH_LLVM(F, M)                                                                    \
	F(ContextCreate, struct ll_context *, (void))                                    \
	F(CreateMemoryBufferWithMemoryRangeCopy, struct ll_buffer *,                     \
	  (const char *, size_t, const char *))                                          \
	F(ParseBitcodeInContext2, int,                                                   \
	  (struct ll_context *, struct ll_buffer *, struct ll_module **))                \
	F(WriteBitcodeToFD, int, (struct ll_module *, int, int, int))                    \
	F(VerifyModule, int, (struct ll_module *, int, char **))                         \
	F(CreatePassBuilderOptions, struct ll_options *, (void))                         \
	F(RunPasses, void *,                                                             \
	  (struct ll_module *, const char *, void *, struct ll_options *))               \
	F(GetModuleDataLayout, struct ll_layout *, (struct ll_module *))                 \
	F(ABISizeOfType, unsigned long long, (struct ll_layout *, struct ll_type *))     \
	F(GetFirstFunction, struct ll_value *, (struct ll_module *))                     \
	F(GetNextFunction, struct ll_value *, (struct ll_value *))                       \
	F(GetNamedFunction, struct ll_value *, (struct ll_module *, const char *))       \
	F(AddFunction, struct ll_value *,                                                \
	  (struct ll_module *, const char *, struct ll_type *))                          \
	F(GetParam, struct ll_value *, (struct ll_value *, unsigned))                    \
	F(SetLinkage, void, (struct ll_value *, int))                                    \
	F(SetVisibility, void, (struct ll_value *, int))                                 \
	F(GetOrInsertComdat, struct ll_comdat *, (struct ll_module *, const char *))     \
	F(SetComdat, void, (struct ll_value *, struct ll_comdat *))                      \
	F(AppendBasicBlockInContext, struct ll_block *,                                  \
	  (struct ll_context *, struct ll_value *, const char *))                        \
	F(GetFirstBasicBlock, struct ll_block *, (struct ll_value *))                    \
	F(GetNextBasicBlock, struct ll_block *, (struct ll_block *))                     \
	F(GetBasicBlockTerminator, struct ll_value *, (struct ll_block *))               \
	F(GetNumSuccessors, unsigned, (struct ll_value *))                               \
	F(GetSuccessor, struct ll_block *, (struct ll_value *, unsigned))                \
	F(IsConditional, int, (struct ll_value *))                                       \
	F(GetCondition, struct ll_value *, (struct ll_value *))                          \
	F(GetFirstInstruction, struct ll_value *, (struct ll_block *))                   \
	F(GetNextInstruction, struct ll_value *, (struct ll_value *))                    \
	F(GetInstructionOpcode, int, (struct ll_value *))                                \
	F(GetInstructionParent, struct ll_block *, (struct ll_value *))                  \
	F(IsAInstruction, struct ll_value *, (struct ll_value *))                        \
	F(IsAFunction, struct ll_value *, (struct ll_value *))                           \
	F(IsAConstantExpr, struct ll_value *, (struct ll_value *))                       \
	F(GetConstOpcode, int, (struct ll_value *))                                      \
	F(OffsetOfElement, unsigned long long,                                           \
	  (struct ll_layout *, struct ll_type *, unsigned))                              \
	F(IsAConstantInt, struct ll_value *, (struct ll_value *))                        \
	F(ConstIntGetSExtValue, long long, (struct ll_value *))                          \
	F(ConstInt, struct ll_value *, (struct ll_type *, unsigned long long, int))      \
	F(ConstPointerNull, struct ll_value *, (struct ll_type *))                       \
	F(GetNumOperands, int, (struct ll_value *))                                      \
	F(GetOperand, struct ll_value *, (struct ll_value *, unsigned))                  \
	F(SetOperand, void, (struct ll_value *, unsigned, struct ll_value *))            \
	F(GetCalledValue, struct ll_value *, (struct ll_value *))                        \
	F(GetValueName2, const char *, (struct ll_value *, size_t *))                    \
	F(CountIncoming, unsigned, (struct ll_value *))                                  \
	F(GetIncomingValue, struct ll_value *, (struct ll_value *, unsigned))            \
	F(GetIncomingBlock, struct ll_block *, (struct ll_value *, unsigned))            \
	F(GetICmpPredicate, int, (struct ll_value *))                                    \
	F(GetOrdering, int, (struct ll_value *))                                         \
	F(GetVolatile, int, (struct ll_value *))                                         \
	F(GetGEPSourceElementType, struct ll_type *, (struct ll_value *))                \
	F(TypeOf, struct ll_type *, (struct ll_value *))                                 \
	F(GetTypeKind, int, (struct ll_type *))                                          \
	F(GetElementType, struct ll_type *, (struct ll_type *))                          \
	F(StructGetTypeAtIndex, struct ll_type *, (struct ll_type *, unsigned))          \
	F(GetIntTypeWidth, unsigned, (struct ll_type *))                                 \
	F(IntTypeInContext, struct ll_type *, (struct ll_context *, unsigned))           \
	F(PointerTypeInContext, struct ll_type *, (struct ll_context *, unsigned))       \
	F(VoidTypeInContext, struct ll_type *, (struct ll_context *))                    \
	F(FunctionType, struct ll_type *,                                                \
	  (struct ll_type *, struct ll_type **, unsigned, int))                          \
	F(CreateBuilderInContext, struct ll_builder *, (struct ll_context *))            \
	F(DisposeBuilder, void, (struct ll_builder *))                                   \
	F(PositionBuilderBefore, void, (struct ll_builder *, struct ll_value *))         \
	F(PositionBuilderAtEnd, void, (struct ll_builder *, struct ll_block *))          \
	F(SetCurrentDebugLocation2, void, (struct ll_builder *, struct ll_place *))      \
	F(InstructionGetDebugLoc, struct ll_place *, (struct ll_value *))                \
	F(InstructionSetDebugLoc, void, (struct ll_value *, struct ll_place *))          \
	F(InstructionClone, struct ll_value *, (struct ll_value *))                      \
	F(InsertIntoBuilder, void, (struct ll_builder *, struct ll_value *))             \
	F(InstructionEraseFromParent, void, (struct ll_value *))                         \
	F(BuildCall2, struct ll_value *,                                                 \
	  (struct ll_builder *, struct ll_type *, struct ll_value *, struct ll_value **, \
	   unsigned, const char *))                                                      \
	F(SetTailCall, void, (struct ll_value *, int))                                   \
	F(BuildAdd, struct ll_value *,                                                   \
	  (struct ll_builder *, struct ll_value *, struct ll_value *, const char *))     \
	F(BuildSub, struct ll_value *,                                                   \
	  (struct ll_builder *, struct ll_value *, struct ll_value *, const char *))     \
	F(BuildMul, struct ll_value *,                                                   \
	  (struct ll_builder *, struct ll_value *, struct ll_value *, const char *))     \
	F(BuildUDiv, struct ll_value *,                                                  \
	  (struct ll_builder *, struct ll_value *, struct ll_value *, const char *))     \
	F(BuildZExt, struct ll_value *,                                                  \
	  (struct ll_builder *, struct ll_value *, struct ll_type *, const char *))      \
	F(BuildPtrToInt, struct ll_value *,                                              \
	  (struct ll_builder *, struct ll_value *, struct ll_type *, const char *))      \
	F(BuildICmp, struct ll_value *,                                                  \
	  (struct ll_builder *, int, struct ll_value *, struct ll_value *,               \
	   const char *))                                                                \
	F(BuildSelect, struct ll_value *,                                                \
	  (struct ll_builder *, struct ll_value *, struct ll_value *, struct ll_value *, \
	   const char *))                                                                \
	F(BuildCondBr, struct ll_value *,                                                \
	  (struct ll_builder *, struct ll_value *, struct ll_block *,                    \
	   struct ll_block *))                                                           \
	F(BuildBr, struct ll_value *, (struct ll_builder *, struct ll_block *))          \
	F(BuildPhi, struct ll_value *,                                                   \
	  (struct ll_builder *, struct ll_type *, const char *))                         \
	F(AddIncoming, void,                                                             \
	  (struct ll_value *, struct ll_value **, struct ll_block **, unsigned))         \
	F(SetSuccessor, void, (struct ll_value *, unsigned, struct ll_block *))          \
	F(IsATerminatorInst, struct ll_value *, (struct ll_value *))                     \
	F(GetBasicBlockParent, struct ll_value *, (struct ll_block *))                   \
	F(ReplaceAllUsesWith, void, (struct ll_value *, struct ll_value *))              \
	F(InstructionRemoveFromParent, void, (struct ll_value *))                        \
	F(BuildArrayAlloca, struct ll_value *,                                           \
	  (struct ll_builder *, struct ll_type *, struct ll_value *, const char *))      \
	F(BuildGEP2, struct ll_value *,                                                  \
	  (struct ll_builder *, struct ll_type *, struct ll_value *, struct ll_value **, \
	   unsigned, const char *))                                                      \
	F(BuildRetVoid, struct ll_value *, (struct ll_builder *))                        \
	M(GetNUW, int, (struct ll_value *))                                              \
	M(GetNSW, int, (struct ll_value *))                                              \
	M(GetIsDisjoint, int, (struct ll_value *))

/* All of them, after dh_llvm_load(). */
extern struct dh_llvm {
#define DH_LLVM_MEMBER(name, result, arguments) result(*name) arguments;
	DH_LLVM(DH_LLVM_MEMBER, DH_LLVM_MEMBER)
#undef DH_LLVM_MEMBER
} dh_ll;

/* Numbers that the interface fixes. */
enum dh_ll_opcode {
	LL_RET = 1,
	LL_BR = 2,
	LL_SWITCH = 3,
	LL_ADD = 8,
	LL_SUB = 10,
	LL_MUL = 12,
	LL_UDIV = 14,
	LL_SDIV = 15,
	LL_UREM = 17,
	LL_SREM = 18,
	LL_SHL = 20,
	LL_LSHR = 21,
	LL_ASHR = 22,
	LL_AND = 23,
	LL_OR = 24,
	LL_XOR = 25,
	LL_ALLOCA = 26,
	LL_LOAD = 27,
	LL_STORE = 28,
	LL_GEP = 29,
	LL_TRUNC = 30,
	LL_ZEXT = 31,
	LL_SEXT = 32,
	LL_PTRTOINT = 39,
	LL_ICMP = 42,
	LL_PHI = 44,
	LL_CALL = 45,
	LL_SELECT = 46,
	LL_VAARG = 49,
	LL_FENCE = 55,
	LL_RMW = 57,
	LL_INVOKE = 5,
	LL_CMPXCHG = 56,
	LL_CALLBR = 67,
	LL_INDIRECTBR = 4,
};
enum {
	LL_FLOAT = 2,
	LL_DOUBLE = 3,
	LL_INTEGER = 8,
	LL_STRUCT = 10,
	LL_ARRAY = 11,
	LL_POINTER = 12
};
enum {
	LL_EQ = 32,
	LL_NE,
	LL_UGT,
	LL_UGE,
	LL_ULT,
	LL_ULE,
	LL_SGT,
	LL_SGE,
	LL_SLT,
	LL_SLE
};
enum { LL_LINKONCE_ODR = 3, LL_EXTERN_WEAK = 12, LL_HIDDEN = 1 };

/* Loads the library and fills dh_ll. False where that cannot be: nothing is to be done.
 */
bool dh_llvm_load(const char *library);

#endif
