// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Asks one jemalloc library where it keeps a thread's counters, and prints what
 * tools/layout-table needs as `key value` lines. Nothing is computed from knowledge of
 * jemalloc's source: the counters' addresses come from mallctl("thread.allocatedp"), the
 * event word is the one between them if there is one, the state byte is the one that goes
 * from "uninitialized" to "nominal" when a thread allocates for the first time, and the cache
 * of the radix tree is where 24 pairs are a key and a pointer, or the invalid key and none.
 *
 *	LD_PRELOAD=LIBRARY ask LIBRARY PREFIX
 *
 * Preloaded, because a library that wants static TLS cannot always be loaded later.
 */
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	STATE_NOMINAL = 0,
	STATE_UNINITIALIZED = 6,
	RTREE_PAIRS = 24,
	RTREE_INVALID_KEY = 1,
	RTREE_KEY_LOW_BITS = 21, /* are zero with every size of pages */
};

typedef int (*mallctl_fn)(const char *, void *, size_t *, void *, size_t);
typedef void *(*malloc_fn)(size_t);
typedef void (*free_fn)(void *);

static struct {
	const char *library;
	mallctl_fn mallctl;
	malloc_fn malloc;
	free_fn free;
} je;

struct block {
	uint8_t *at; /* of the calling thread */
	size_t n;
};

static int note_block(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct block *block = arg;

	(void)size;
	if (strcmp(info->dlpi_name, je.library) != 0)
		return 0;
	for (int i = 0; i < info->dlpi_phnum; i++)
		if (info->dlpi_phdr[i].p_type == PT_TLS)
			block->n = info->dlpi_phdr[i].p_memsz;
	block->at = info->dlpi_tls_data;
	return 1;
}

static void die(const char *why)
{
	fprintf(stderr, "ask: %s: %s\n", je.library, why);
	exit(1);
}

static void *need(void *handle, const char *prefix, const char *name)
{
	char full[64];
	void *symbol;

	snprintf(full, sizeof(full), "%s%s", prefix, name);
	symbol = dlsym(handle, full);
	if (!symbol)
		die(full);
	return symbol;
}

static uint64_t *counter(const char *name)
{
	uint64_t *at = NULL;
	size_t n = sizeof(at);

	if (je.mallctl(name, &at, &n, NULL, 0) != 0)
		die(name);
	return at;
}

static int is_rtree_cache(const uint64_t *pairs)
{
	int used = 0;

	for (int i = 0; i < RTREE_PAIRS; i++) {
		uint64_t key = pairs[2 * i], leaf = pairs[2 * i + 1];

		if (key == RTREE_INVALID_KEY && !leaf)
			continue;
		if (!key || key & ((1u << RTREE_KEY_LOW_BITS) - 1) || !leaf || leaf % 8)
			return 0;
		used++;
	}
	return used > 0;
}

static size_t find_rtree_cache(const struct block *block)
{
	size_t found = SIZE_MAX;

	for (size_t at = 0; at + RTREE_PAIRS * 16 <= block->n; at += 8) {
		if (!is_rtree_cache((const uint64_t *)(block->at + at)))
			continue;
		if (found != SIZE_MAX)
			die("more than one place could be the radix tree's cache");
		found = at;
	}
	if (found == SIZE_MAX)
		die("no place could be the radix tree's cache");
	return found;
}

/* Runs in a thread of its own, whose storage is as the loader left it. */
static void *ask(void *arg)
{
	struct block block = { 0 };
	static uint8_t before[1 << 20]; /* not from malloc: that could be the library's */
	uint64_t *allocated, *deallocated;
	void *volatile p;
	long state = -1;

	(void)arg;
	dl_iterate_phdr(note_block, &block);
	if (!block.at || !block.n)
		die("no thread-local storage in this thread yet");
	if (block.n > sizeof(before))
		die("more thread-local storage than expected");
	memcpy(before, block.at, block.n);
	p = je.malloc(100);
	for (size_t i = 0; i < block.n; i++) {
		if (before[i] != STATE_UNINITIALIZED || block.at[i] != STATE_NOMINAL)
			continue;
		if (state >= 0)
			die("more than one byte could be the state");
		state = (long)i;
	}
	if (state < 0)
		die("no byte could be the state");
	allocated = counter("thread.allocatedp");
	deallocated = counter("thread.deallocatedp");
	if (deallocated != allocated + 1 && deallocated != allocated + 2)
		die("the counters are neither one nor two words apart");
	if (*allocated < 100)
		die("the counter did not count");
	je.free(p);
	if (*deallocated < 100)
		die("the other counter did not count");
	printf("tls_bytes %#zx\n", block.n);
	printf("allocated %#tx\n", (uint8_t *)allocated - block.at);
	printf("deallocated %#tx\n", (uint8_t *)deallocated - block.at);
	printf("state %#lx\n", state);
	printf("rtree_ctx %#zx\n", find_rtree_cache(&block));
	return NULL;
}

int main(int argc, char **argv)
{
	const char *version = NULL;
	size_t n = sizeof(version);
	pthread_t thread;
	void *handle;

	if (argc != 3) {
		fputs("usage: ask LIBRARY PREFIX\n", stderr);
		return 2;
	}
	je.library = argv[1];
	handle = dlopen(je.library, RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		die(dlerror());
	je.mallctl = (mallctl_fn)need(handle, argv[2], "mallctl");
	je.malloc = (malloc_fn)need(handle, argv[2], "malloc");
	je.free = (free_fn)need(handle, argv[2], "free");
	/* The library initialises itself here, so that the thread only initialises its own state.
	 */
	je.free(je.malloc(1));
	if (je.mallctl("version", &version, &n, NULL, 0) != 0)
		die("version");
	printf("version %s\n", version);
	if (pthread_create(&thread, NULL, ask, NULL) != 0)
		die("pthread_create");
	pthread_join(thread, NULL);
	return 0;
}
