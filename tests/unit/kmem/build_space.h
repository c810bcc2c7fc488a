/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Memory of a kernel for tests of walks: RAM seen through a direct map, words set by address. */
#ifndef KTSTR_TESTS_BUILD_SPACE_H
#define KTSTR_TESTS_BUILD_SPACE_H

#include "base/vec.h"
#include "build_memory.h"
#include "kmem/space.h"

#define SPACE_AT UINT64_C(0xffff888000000000)

struct build_space {
	struct build_memory memory;
	struct kmem_reader reader;
	struct kmem_space space;
	VEC(uint64_t) seen; /* what callbacks were given */
	size_t stop_after;  /* 0: never */
};

static inline struct build_space *build_space_new(size_t bytes)
{
	struct build_space *s = xnew(struct build_space);

	s->memory = build_memory_new(bytes + 4096, bytes, 4);
	s->reader = build_reader(&s->memory);
	kmem_space_init(&s->space, &s->reader, &s->memory.paging);
	s->space.direct = (struct kmem_window){ SPACE_AT, SPACE_AT + bytes, 0 };
	return s;
}

static inline void build_space_free(struct build_space *s)
{
	kmem_space_deinit(&s->space);
	build_memory_deinit(&s->memory);
	vec_deinit(&s->seen);
	free(s);
}

/* Sets a word, forgets what was read before. */
static inline void build_word(struct build_space *s, uint64_t address, uint64_t value)
{
	build_put_u64(&s->memory, address - SPACE_AT, value);
	kmem_space_forget(&s->space);
}

static inline bool build_see(void *context, uint64_t link)
{
	struct build_space *s = context;

	vec_push(&s->seen, link);
	return !s->stop_after || s->seen.n < s->stop_after;
}

#endif
