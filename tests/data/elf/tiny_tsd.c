// SPDX-License-Identifier: GPL-2.0-or-later
/* The smallest object with the shape of jemalloc's per-thread state: seeds for the fuzzers. */
#define MANGLED(name) cant_access_tsd_items_directly_use_a_getter_or_setter_##name

typedef unsigned long u64;

#ifdef FIXTURE_ANONYMOUS
typedef struct {
	char lead[41];
	u64 MANGLED(thread_allocated), event, MANGLED(thread_deallocated);
} tsd_t;
#else
struct tsd_s {
	char lead[41];
	struct in {
		int x;
	} nested;
	u64 MANGLED(thread_allocated), event, MANGLED(thread_deallocated);
};
typedef struct tsd_s tsd_t;
#endif

__thread tsd_t je_tsd_tls = { .event = 1 };
static int je_tsd_count;

static u64 __attribute__((noinline, used)) je_tsd_fetch(int x)
{
	enum e { A, B } y = (enum e)x;

	je_tsd_count += y;
	return je_tsd_tls.event;
}

void _start(void);

void _start(void)
{
	je_tsd_fetch(2);
	for (;;)
		;
}
