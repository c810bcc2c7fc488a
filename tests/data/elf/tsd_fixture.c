// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A small object with the shape of jemalloc's per-thread state. Compiled in many ways at test
 * time; when run it prints the offsets that the compiler itself gave the members.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define MANGLED(name) cant_access_tsd_items_directly_use_a_getter_or_setter_##name

#ifndef FIXTURE_LEAD
#define FIXTURE_LEAD 41
#endif

#ifdef FIXTURE_ANONYMOUS
typedef struct {
#else
struct tsd_s {
#endif
	char lead[FIXTURE_LEAD];
	uint8_t state;
	uint64_t MANGLED(thread_allocated);
	uint64_t MANGLED(thread_allocated_next_event_fast);
#ifdef FIXTURE_PARTIAL
	uint64_t renamed;
#define THREAD_DEALLOCATED renamed
#else
	uint64_t MANGLED(thread_deallocated);
#define THREAD_DEALLOCATED MANGLED(thread_deallocated)
#endif
	uint64_t MANGLED(thread_deallocated_next_event_fast);
	void *tail[7];
#ifdef FIXTURE_ANONYMOUS
} tsd_t;
#else
};
typedef struct tsd_s tsd_t;
#endif

__thread tsd_t je_tsd_tls = { .state = 1 };

uint64_t je_tsd_fetch_slow(void);

uint64_t je_tsd_fetch_slow(void)
{
	je_tsd_tls.MANGLED(thread_allocated)++;
	return je_tsd_tls.MANGLED(thread_allocated) + je_tsd_tls.THREAD_DEALLOCATED;
}

int main(void)
{
	je_tsd_fetch_slow();
	printf("%zu %zu %zu %zu\n", offsetof(tsd_t, MANGLED(thread_allocated)),
	       offsetof(tsd_t, THREAD_DEALLOCATED), sizeof(tsd_t), _Alignof(tsd_t));
	return 0;
}
