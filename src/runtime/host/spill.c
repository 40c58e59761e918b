/* SPDX-License-Identifier: MIT */
/* See spill.h. */
#include "runtime/host/spill.h"
#include <asm/unistd.h>
#include <fcntl.h>
#include "base/kernel.h"
#include "base/mem.h"
#include "base/sys.h"

enum { BYTES = DH_SPILL_STRETCH * sizeof(struct dh_spilled) };

static long open_file(struct dh_spill *s, int how)
{
	return DH_KERNEL_4(__NR_openat, AT_FDCWD, dh_text_c(&s->path), how | O_CLOEXEC,
			   0600);
}

void dh_spill_start(struct dh_spill *s, const char *path)
{
	*s = (struct dh_spill){0};
	dh_text_add(&s->path, path);
	dh_text_add(&s->path, ".raw");
	s->latest = dh_mem_alloc(BYTES);
}

/* Puts the stretch that is full behind those in the file. */
static DH_COLD void put_away(struct dh_spill *s)
{
	bool first = s->count == DH_SPILL_STRETCH;
	long fd = open_file(s, O_WRONLY | O_APPEND | (first ? O_CREAT | O_TRUNC : 0));
	if (fd < 0) {
		s->error = -fd;
		return;
	}
	s->error = -dh_sys_write((int)fd, s->latest, BYTES);
	DH_KERNEL_1(__NR_close, fd);
}

void dh_spill_add(struct dh_spill *s, struct dh_spilled r)
{
	if (DH_UNLIKELY(s->error))
		return;
	s->latest[s->count % DH_SPILL_STRETCH] = r;
	if (DH_UNLIKELY(++s->count % DH_SPILL_STRETCH == 0))
		put_away(s);
}

/* Reads a stretch; false where there is less. */
static bool fetch(struct dh_spill *s, uint64_t stretch)
{
	if (!s->read)
		s->read = dh_mem_alloc(BYTES);
	long fd = open_file(s, O_RDONLY);
	size_t have = 0;
	for (long n = 1; fd >= 0 && n > 0 && have<BYTES; have += n> 0 ? (size_t)n : 0)
		n = DH_KERNEL_4(__NR_pread64, fd, (char *)s->read + have, BYTES - have,
				(long)(stretch * BYTES + have));
	if (fd >= 0)
		DH_KERNEL_1(__NR_close, fd);
	s->read_at = have == BYTES ? stretch + 1 : 0;
	return have == BYTES;
}

const struct dh_spilled *dh_spill_at(struct dh_spill *s, uint64_t i)
{
	uint64_t stretch = i / DH_SPILL_STRETCH;
	if (stretch == s->count / DH_SPILL_STRETCH)
		return &s->latest[i % DH_SPILL_STRETCH];
	if (s->read_at != stretch + 1 && !fetch(s, stretch))
		return NULL;
	return &s->read[i % DH_SPILL_STRETCH];
}

void dh_spill_drop(struct dh_spill *s, bool file)
{
	if (file && s->count >= DH_SPILL_STRETCH)
		DH_KERNEL_3(__NR_unlinkat, AT_FDCWD, dh_text_c(&s->path), 0);
	if (s->latest)
		dh_mem_free(s->latest, BYTES);
	if (s->read)
		dh_mem_free(s->read, BYTES);
	dh_vec_free(&s->path);
	*s = (struct dh_spill){0};
}
