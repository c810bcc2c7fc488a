/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Where the members in fields.def lie in this kernel, found once. The width is the kernel's as
 * well: `on_cpu` had four bytes before Linux 7.2 and has one since. A member that is missing is
 * unknown, never at offset 0.
 */
#ifndef KTSTR_KMEM_FIELDS_H
#define KTSTR_KMEM_FIELDS_H

#include "btf/path.h"
#include "kmem/space.h"

#define KMEM_VIEWS(X)                           \
	X(TASKS, "tasks")                       \
	X(RQ, "runqueues")                      \
	X(MODULES, "modules")                   \
	X(XARRAY, "xarrays")                    \
	X(RHASHTABLE, "hash tables")            \
	X(BTF, "types of modules and programs") \
	X(ARENA, "arenas")                      \
	X(TIME, "time")                         \
	X(LOG, "kernel log")                    \
	X(SCX, "sched_ext")                     \
	X(PROGS, "BPF programs")                \
	X(MAPS, "BPF maps")                     \
	X(STACK, "stacks")
#define KMEM_VIEW_ENUM_(id, word) KMEM_VIEW_##id,
enum kmem_view { KMEM_VIEWS(KMEM_VIEW_ENUM_) KMEM_N_VIEWS };

#define KMEM_FIELD(view, id, type, paths, need) KMEM_F_##id,
enum kmem_field_id {
#include "kmem/fields.def"
	KMEM_N_FIELDS
};
#undef KMEM_FIELD

struct kmem_field {
	bool known;
	struct btf_place place;
	char *missing; /* why it is not known */
};

struct kmem_fields {
	struct kmem_field at[KMEM_N_FIELDS];
};

/* Without types (btf is NULL) nothing is known, and `reason` says why. */
void kmem_fields_init(struct kmem_fields *fields, const struct btf *btf, const char *reason);
void kmem_fields_deinit(struct kmem_fields *fields);

/* Another table of fields has another number; what was found with that one does not count. */
uint64_t kmem_fields_version(void);

/* KMEM_NO_FIELD with the name of each needed member that is missing. */
struct error *kmem_fields_require(const struct kmem_fields *fields, enum kmem_view view) MUST_CHECK;

/*
 * An integer or pointer of up to 8 bytes, or a bit field, of the object at `base`.
 * KMEM_READ_UNKNOWN when the member is not known or is larger.
 */
enum kmem_status kmem_field_read(const struct kmem_fields *fields, struct kmem_space *space,
				 enum kmem_field_id id, uint64_t base, uint64_t *ret) MUST_CHECK;
/* The same, extended by the sign of its width. */
enum kmem_status kmem_field_read_signed(const struct kmem_fields *fields, struct kmem_space *space,
					enum kmem_field_id id, uint64_t base,
					int64_t *ret) MUST_CHECK;
/* A char array: up to its NUL, its end or the end of buf. */
enum kmem_status kmem_field_read_text(const struct kmem_fields *fields, struct kmem_space *space,
				      enum kmem_field_id id, uint64_t base, char *buf,
				      size_t size) MUST_CHECK;

#endif
