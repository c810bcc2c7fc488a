/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One page of a file in which a target shows that it runs and which signals
 * reached it. The drivers map the same file; support.py knows the same layout.
 */
#ifndef KTSTR_TESTS_HOST_BEAT_H
#define KTSTR_TESTS_HOST_BEAT_H

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	BEAT_PERIOD_US = 4000,
	SLOW_BEAT_PERIOD_US = 2000000,
	BEAT_SLOTS = 1024,
};

struct beat_page {
	volatile uint64_t signals; /* queued ones, with a value */
	volatile uint64_t out_of_order;
	volatile int64_t last_value;
	volatile uint64_t plain_signals;
	volatile uint64_t beats[BEAT_SLOTS];
};

/* Without a path the page is private: a target can always write to it. */
static inline struct beat_page *beat_map(const char *path)
{
	int fd = path ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) : -1;
	void *page;

	if (path && (fd < 0 || ftruncate(fd, sizeof(struct beat_page)) < 0))
		_exit(1);
	page = mmap(NULL, sizeof(struct beat_page), PROT_READ | PROT_WRITE,
		    path ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, fd, 0);
	if (page == MAP_FAILED)
		_exit(1);
	return page;
}

#endif
