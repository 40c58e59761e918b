/* SPDX-License-Identifier: MIT */
/*
 * The two trace formats, and the numbers of the binary one that its reader and its
 * writer share. docs/formats/trace.md describes it byte by byte.
 *
 * Binary: a file header, then blocks, the last of them an end block. All fixed
 * fields are little endian.
 */
#ifndef DH_TRACE_FORMAT_H
#define DH_TRACE_FORMAT_H

#include "base/base.h"

enum dh_trace_format {
	DH_TRACE_TEXT,
	DH_TRACE_BINARY,
	DH_TRACE_RECORDING, /* binary, too: what events are made of */
};

/* File header: magic, u16 version, u16 zero, u32 CRC-32C of the bytes before it.
 * The magic has a byte that no text starts with, and line ends of both kinds, so
 * that a transfer in text mode shows. */
#define DH_TRACE_MAGIC                                                                   \
	"\x89"                                                                           \
	"DHT\r\n\x1a\n"
enum {
	DH_TRACE_MAGIC_SIZE = 8,
	DH_TRACE_VERSION = 1,
	DH_TRACE_VERSION_RECORDING = 2,
	DH_TRACE_HEADER_SIZE = 16,

	/* Block header: u8 kind, u8 codec, u16 zero, u32 stored bytes, u32 plain bytes,
	 * u32 events, u32 CRC-32C of the 16 bytes before it and the stored bytes. */
	DH_BLOCK_HEADER_SIZE = 20,
	DH_BLOCK_CRC_AT = 16,
	DH_BLOCK_MAX = 1 << 24, /* stored or plain bytes of one block at most */
};

enum dh_block_kind {
	DH_BLOCK_EVENTS = 1,
	DH_BLOCK_END = 2,
	DH_BLOCK_RECORDS = 3,
	DH_BLOCK_OPTIONAL = 128, /* this bit: a reader that does not know it goes on */
};

enum dh_block_codec { DH_CODEC_RAW, DH_CODEC_ZSTD };

/* The head byte of an event. */
enum {
	DH_HEAD_OP = 31,      /* bits 0 to 4: enum dh_op */
	DH_HEAD_THREAD = 32,  /* another thread than that of the event before */
	DH_HEAD_SITE = 64,    /* another location than the thread's last */
	DH_HEAD_PAYLOAD = 128 /* r, w: a value; mb: a list of variables */
};

DH_INLINE uint64_t dh_zigzag(int64_t v)
{
	return ((uint64_t)v << 1) ^ (uint64_t)(v >> 63);
}

DH_INLINE int64_t dh_unzigzag(uint64_t v)
{
	return (int64_t)(v >> 1) ^ -(int64_t)(v & 1);
}

#endif
