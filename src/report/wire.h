/* SPDX-License-Identifier: MIT */
/*
 * What a watched process tells its helper (`deadheat symbolize`): facts as they are, in
 * addresses, over one stream socket. The helper turns addresses into names and writes
 * the report.
 *
 * Both ends are of one build; the version in HELLO only catches a mix-up. Numbers are
 * 64-bit words in the byte order of the machine.
 *
 *   MESSAGE  word kind, word bytes, then so many bytes of payload
 *   TEXT     word length, the bytes
 *   STACK    word count, that many words: return addresses, innermost first.
 *            DH_WIRE_LOST: frames from there outward were lost. DH_WIRE_FOLDED: the call
 *            before it is part of a recursion that may have had more rounds
 *
 *   HELLO    word version, word process id, word flags (dh_wire_hello),
 *            TEXT log file ("" is standard error), TEXT json file ("" is none),
 *            TEXT suppressions file, TEXT suppressions that the program itself has,
 *            TEXT baseline file (each "" for none), TEXT name of the engine
 *   MODULE   word number, TEXT path, word count, then of each mapping:
 *            word start, word end, word file offset, word executable
 *   GONE     word number: the module is no longer mapped
 *   RACE     word serial, word grade (dh_wire_grade), word address, word bytes,
 *            ACCESS second, ACCESS first,
 *            word count, THREADs;
 *            word count, LOCKs that the second thread held, outermost first;
 *            word of how many more it held that were not remembered;
 *            word is-it-known what the first thread held: where it is, word count, LOCKs
 *            that it held for sure, word count, LOCKs that it may have held;
 *            TEXT what the program calls the memory; OBJECT
 *   FURTHER  as RACE: another pair of accesses to the variable of the race that has this
 *            serial, at least one of them at a place that was not told yet
 *   ACCESS   word flags (dh_wire_access), word address, word bytes, word thread, STACK
 *   THREAD   word id, word parent, word kernel's id, word flags (dh_wire_thread),
 *            TEXT name, STACK of its creation (empty: not known)
 *   LOCK     word address, word flags (dh_wire_lock), TEXT name, STACK of the acquire,
 *            STACK of its creation (empty: not known)
 *   OBJECT   word dh_wire_object; for HEAP: word base, word bytes, word thread, STACK of
 *            the allocation, word freed (0 or 1), word thread, STACK of the free; for
 *            STACK: word thread; for MAPPING: word base, word bytes, word offset in the
 *            file, TEXT its path ("" is none); for LOCAL: word thread, word an address of
 *            the module, word offset in its thread-local storage; else nothing
 *   EVIDENCE fifteen words, those of struct dh_live_evidence in their order; word count,
 *            then of each lock: word count, LOCK; word count, then of each step: word
 *            count, word by how much (two's complement)
 *   END      word distinct races, word races in all, word count, then of each counter:
 *            word is-a-loss, TEXT name, word value. The helper acknowledges, and ends.
 *   FLUSH    nothing. The helper acknowledges once all before it is written out.
 *
 * An acknowledgement is one word in the other direction: how many of the races so far
 * are neither suppressed nor known.
 */
#ifndef DH_REPORT_WIRE_H
#define DH_REPORT_WIRE_H

#include <stdint.h>

enum { DH_WIRE_VERSION = 6 };

enum dh_wire_kind {
	DH_WIRE_HELLO = 1,
	DH_WIRE_MODULE,
	DH_WIRE_GONE,
	DH_WIRE_RACE,
	DH_WIRE_END,
	DH_WIRE_FLUSH,
	DH_WIRE_EVIDENCE,
	DH_WIRE_FURTHER,
};

enum dh_wire_hello {
	DH_HELLO_QUIET = 1,   /* nothing on the log but what keeps it from being true */
	DH_HELLO_VERBOSE = 2, /* a summary in any case */
	DH_HELLO_STATS = 4,   /* all counters */
	DH_HELLO_COLOUR = 8,  /* in any case */
	DH_HELLO_PLAIN = 16,  /* no colour in any case */
	DH_HELLO_SUGGEST = 32, /* print suppressions for what was found */
	DH_HELLO_POTENTIAL = 64, /* findings of that grade count too */
	DH_HELLO_NUMBERS = 128,	 /* findings are called by their numbers: FURTHER may come */
};

enum dh_wire_grade { DH_WIRE_OBSERVED, DH_WIRE_POTENTIAL };

enum dh_wire_access {
	DH_WIRE_WRITE = 1,
	DH_WIRE_ATOMIC = 2,
	DH_WIRE_FREE = 4,
	DH_WIRE_COARSE = 8,	/* to a part of what is one variable to the engine */
	DH_WIRE_SUSPENDED = 16, /* while detection was suspended: does not count */
};

enum dh_wire_thread {
	DH_WIRE_RUNNING = 1,
	DH_WIRE_MAIN = 2,
	DH_WIRE_TASK = 4,    /* tasks of OpenMP that were made at this place */
	DH_WIRE_REGION = 8,  /* a thread of the teams of a parallel region: which is in
			      * the bits from DH_WIRE_NUMBER_SHIFT on */
	DH_WIRE_NUMBER_SHIFT = 8,
};

enum dh_wire_lock { DH_WIRE_LOCK_WRITE = 1 };

enum dh_wire_object {
	DH_OBJECT_UNKNOWN, /* or a global: the helper looks */
	DH_OBJECT_HEAP,
	DH_OBJECT_STACK,
	DH_OBJECT_MAPPING,
	DH_OBJECT_LOCAL, /* a thread-local variable */
};

#define DH_WIRE_NO_THREAD UINT64_MAX
#define DH_WIRE_LOST	  UINT64_MAX
#define DH_WIRE_FOLDED	  (UINT64_MAX - 1)

#endif
