/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What loaders of schedulers have in common. Each ends the process when it cannot go on. */
#ifndef KTSTR_BPF_LOADER_H
#define KTSTR_BPF_LOADER_H

#include <stdbool.h>
#include <stddef.h>

#include <bpf/libbpf.h>

/* The name stands in front of messages. Verbose: libbpf tells all it does. */
void loader_begin(const char *name, bool is_verbose);
__attribute__((noreturn)) void loader_fail(const char *what, int error);
struct bpf_map *loader_map(struct bpf_object *object, const char *name);
/* The initial value of a map, which must be as large as we take it to be. */
void *loader_value(struct bpf_map *map, size_t size);
/* The same after loading, shared with the kernel. */
void *loader_share(struct bpf_map *map, size_t size);

#endif
