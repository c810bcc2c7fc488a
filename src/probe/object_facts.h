/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the probe must know about an ELF object. It depends on the file alone, so it is found once
 * for all processes that have it mapped; and it is plain data, so it may be found in another
 * process, which a hostile file can at most kill.
 */
#ifndef KTSTR_PROBE_OBJECT_FACTS_H
#define KTSTR_PROBE_OBJECT_FACTS_H

#include "base/cancel.h"
#include "elf/image.h"
#include "elf/member_lookup.h"
#include "probe/jemalloc.h"

/*
 * What one ELF object says about glibc: the descriptors for debuggers and the addresses of a few
 * variables. Plain data, which may come from another process.
 */

/*      id                   name after _thread_db_                      needed for */
#define PROBE_GLIBC_DESCRIPTORS(X)                                                                 \
	X(PROBE_GLIBC_LIST_NEXT, "list_t_next", PROBE_GLIBC_NEEDED_ALWAYS)                         \
	X(PROBE_GLIBC_PTHREAD_LIST, "pthread_list", PROBE_GLIBC_NEEDED_ALWAYS)                     \
	X(PROBE_GLIBC_PTHREAD_TID, "pthread_tid", PROBE_GLIBC_NEEDED_ALWAYS)                       \
	X(PROBE_GLIBC_RTLD_STACK_USED, "rtld_global__dl_stack_used", PROBE_GLIBC_NEEDED_IF_SHARED) \
	X(PROBE_GLIBC_RTLD_STACK_USER, "rtld_global__dl_stack_user", PROBE_GLIBC_NEEDED_IF_SHARED) \
	X(PROBE_GLIBC_PTHREAD_DTVP, "pthread_dtvp", PROBE_GLIBC_NEEDED_FOR_LIBRARIES)              \
	X(PROBE_GLIBC_DTV_DTV, "dtv_dtv", PROBE_GLIBC_NEEDED_FOR_LIBRARIES)                        \
	X(PROBE_GLIBC_DTV_POINTER_VAL, "dtv_t_pointer_val", PROBE_GLIBC_NEEDED_FOR_LIBRARIES)      \
	X(PROBE_GLIBC_LINK_MAP_TLS_MODID, "link_map_l_tls_modid",                                  \
	  PROBE_GLIBC_NEEDED_FOR_LIBRARIES)                                                        \
	X(PROBE_GLIBC_LINK_MAP_TLS_OFFSET, "link_map_l_tls_offset",                                \
	  PROBE_GLIBC_NEEDED_FOR_LIBRARIES)                                                        \
	X(PROBE_GLIBC_RTLD_SLOTINFO_LIST, "rtld_global__dl_tls_dtv_slotinfo_list",                 \
	  PROBE_GLIBC_NEEDED_FOR_LIBRARIES)                                                        \
	X(PROBE_GLIBC_SLOTINFO_LIST_LEN, "dtv_slotinfo_list_len",                                  \
	  PROBE_GLIBC_NEEDED_FOR_LIBRARIES)                                                        \
	X(PROBE_GLIBC_SLOTINFO_LIST_NEXT, "dtv_slotinfo_list_next",                                \
	  PROBE_GLIBC_NEEDED_FOR_LIBRARIES)                                                        \
	X(PROBE_GLIBC_SLOTINFO_LIST_SLOTS, "dtv_slotinfo_list_slotinfo",                           \
	  PROBE_GLIBC_NEEDED_FOR_LIBRARIES)                                                        \
	X(PROBE_GLIBC_SLOTINFO_GEN, "dtv_slotinfo_gen", PROBE_GLIBC_NEEDED_FOR_LIBRARIES)

enum probe_glibc_need {
	PROBE_GLIBC_NEEDED_ALWAYS,
	PROBE_GLIBC_NEEDED_IF_SHARED,
	PROBE_GLIBC_NEEDED_FOR_LIBRARIES
};

#define PROBE_GLIBC_DESCRIPTOR_ENUM_(id, name, need) id,
enum probe_glibc_descriptor_id {
	PROBE_GLIBC_DESCRIPTORS(PROBE_GLIBC_DESCRIPTOR_ENUM_) PROBE_N_GLIBC_DESCRIPTORS
};
#undef PROBE_GLIBC_DESCRIPTOR_ENUM_

/* Variables of the loader, and those of a static program. */
#define PROBE_GLIBC_SYMBOLS(X)                             \
	X(PROBE_GLIBC_SYMBOL_RTLD_GLOBAL, "_rtld_global")  \
	X(PROBE_GLIBC_SYMBOL_R_DEBUG, "_r_debug")          \
	X(PROBE_GLIBC_SYMBOL_STACK_USED, "_dl_stack_used") \
	X(PROBE_GLIBC_SYMBOL_STACK_USER, "_dl_stack_user")
#define PROBE_GLIBC_SYMBOL_ENUM_(id, name) id,
enum probe_glibc_symbol_id { PROBE_GLIBC_SYMBOLS(PROBE_GLIBC_SYMBOL_ENUM_) PROBE_N_GLIBC_SYMBOLS };
#undef PROBE_GLIBC_SYMBOL_ENUM_

/* Fields of rtld_global lie within it (about 4.5 KB); of other structs far lower. */
enum { PROBE_LIMIT_GLIBC_FIELD_OFFSET = 65536 };

struct probe_glibc_descriptor {
	bool found;
	uint32_t bits;
	uint32_t offset;
};

struct probe_glibc_facts {
	struct probe_glibc_descriptor descriptors[PROBE_N_GLIBC_DESCRIPTORS];
	struct {
		bool found;
		uint64_t value; /* address in the file */
	} symbols[PROBE_N_GLIBC_SYMBOLS];
};

extern const char *const probe_glibc_descriptor_names[PROBE_N_GLIBC_DESCRIPTORS];
extern const enum probe_glibc_need probe_glibc_descriptor_needs[PROBE_N_GLIBC_DESCRIPTORS];
extern const char *const probe_glibc_symbol_names[PROBE_N_GLIBC_SYMBOLS];

/* One pass over the object's symbols; what it does not have is not found. */
void probe_glibc_facts_read(struct elf_image *image, struct probe_glibc_facts *ret);
/* Whether it defines one of the names above; any other name it does not. */
bool probe_glibc_facts_define(const struct probe_glibc_facts *facts, const char *name);

enum {
	PROBE_LIMIT_LOADS = 16, /* programs have four to ten */
	PROBE_LIMIT_SYMBOL_NAME = 128,
	PROBE_LIMIT_TSD_PLACES = 8, /* one for each jemalloc in it, and what looks like it */
};

struct probe_object_facts {
	uint16_t machine;
	struct elf_load loads[PROBE_LIMIT_LOADS];
	size_t n_loads;
	bool has_tls;
	struct elf_tls tls;

	bool is_jemalloc; /* shows any sign of it */
	/* symbol_name is NULL: it stands below, "" when it is too long. */
	struct probe_jemalloc_signs signs;
	char symbol_name[PROBE_LIMIT_SYMBOL_NAME];
	/* Where jemalloc's thread data may be, if is_jemalloc; none when there are too many. */
	struct probe_tsd_place tsd_places[PROBE_LIMIT_TSD_PLACES];
	size_t n_tsd_places;

	/* Only after probe_object_facts_complete(). */
	bool is_complete;
	char build_id[2 * ELF_LIMIT_BUILD_ID_BYTES + 1]; /* digits; "" when it has none */
	struct probe_glibc_facts glibc;
};

/* Where the counters are, from the start of the object's thread-local block. */
struct probe_counter_offsets {
	uint64_t allocated, deallocated;
};

/*
 * The machine, segments and signs of jemalloc; what is not there is absent. An error when it
 * cannot be told whether there are such signs.
 */
struct error *probe_object_facts_read(struct elf_image *image, const struct cancel *cancel,
				      struct probe_object_facts *ret) MUST_CHECK;
/* The rest, which not everybody needs. */
void probe_object_facts_complete(struct elf_image *image, struct probe_object_facts *facts);

/*
 * By the debug information of a file that is_jemalloc, whose name goes to ret_source if that is
 * not NULL. Errors of the domains elf and base; the expensive part.
 */
struct error *probe_counter_offsets_read(const struct elf_debug_place *place,
					 const struct probe_object_facts *facts,
					 const struct cancel *cancel,
					 struct probe_counter_offsets *ret,
					 struct strbuf *ret_source) MUST_CHECK;

#endif
