// SPDX-License-Identifier: GPL-2.0-or-later
#include "loader.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static const char *own_name = "loader";
static bool is_loud;

__attribute__((format(printf, 2, 0))) static int print_libbpf(enum libbpf_print_level level,
							      const char *format, va_list arguments)
{
	if (level == LIBBPF_DEBUG && !is_loud)
		return 0;
	return vfprintf(stderr, format, arguments);
}

void loader_begin(const char *name, bool is_verbose)
{
	own_name = name;
	is_loud = is_verbose;
	libbpf_set_print(print_libbpf);
}

void loader_fail(const char *what, int error)
{
	fprintf(stderr, "%s: %s: %s\n", own_name, what, strerror(error));
	exit(EXIT_FAILURE);
}

struct bpf_map *loader_map(struct bpf_object *object, const char *name)
{
	struct bpf_map *map = bpf_object__find_map_by_name(object, name);

	if (!map)
		loader_fail(name, ENOENT);
	return map;
}

void *loader_value(struct bpf_map *map, size_t size)
{
	size_t have = 0;
	void *value = bpf_map__initial_value(map, &have);

	if (!value || have < size)
		loader_fail(bpf_map__name(map), EINVAL);
	return value;
}

/*
 * Without a skeleton libbpf 1.4 leaves its own copy of a global where the map should be
 * seen; the map takes its place.
 */
void *loader_share(struct bpf_map *map, size_t size)
{
	size_t page = sysconf(_SC_PAGESIZE);
	void *at = loader_value(map, size);

	at = mmap(at, (size + page - 1) / page * page, PROT_READ | PROT_WRITE,
		  MAP_SHARED | MAP_FIXED, bpf_map__fd(map), 0);
	if (at == MAP_FAILED)
		loader_fail("mapping the scheduler's state", errno);
	return at;
}
