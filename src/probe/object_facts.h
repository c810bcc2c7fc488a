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
#include "elf/limits.h"
#include "elf/member_lookup.h"
#include "elf/tls_segment.h"
#include "probe/jemalloc.h"

/*
 * What one ELF object says about glibc: the descriptors for debuggers and the addresses of a few
 * variables. Plain data, which may come from another process.
 */

/*      id                   name after _thread_db_                      needed for */
#define GLIBC_DESCRIPTORS(X)                                                                   \
	X(GLIBC_LIST_NEXT, "list_t_next", GLIBC_NEEDED_ALWAYS)                                 \
	X(GLIBC_PTHREAD_LIST, "pthread_list", GLIBC_NEEDED_ALWAYS)                             \
	X(GLIBC_PTHREAD_TID, "pthread_tid", GLIBC_NEEDED_ALWAYS)                               \
	X(GLIBC_RTLD_STACK_USED, "rtld_global__dl_stack_used", GLIBC_NEEDED_IF_SHARED)         \
	X(GLIBC_RTLD_STACK_USER, "rtld_global__dl_stack_user", GLIBC_NEEDED_IF_SHARED)         \
	X(GLIBC_PTHREAD_DTVP, "pthread_dtvp", GLIBC_NEEDED_FOR_LIBRARIES)                      \
	X(GLIBC_DTV_DTV, "dtv_dtv", GLIBC_NEEDED_FOR_LIBRARIES)                                \
	X(GLIBC_DTV_POINTER_VAL, "dtv_t_pointer_val", GLIBC_NEEDED_FOR_LIBRARIES)              \
	X(GLIBC_LINK_MAP_TLS_MODID, "link_map_l_tls_modid", GLIBC_NEEDED_FOR_LIBRARIES)        \
	X(GLIBC_LINK_MAP_TLS_OFFSET, "link_map_l_tls_offset", GLIBC_NEEDED_FOR_LIBRARIES)      \
	X(GLIBC_RTLD_SLOTINFO_LIST, "rtld_global__dl_tls_dtv_slotinfo_list",                   \
	  GLIBC_NEEDED_FOR_LIBRARIES)                                                          \
	X(GLIBC_SLOTINFO_LIST_LEN, "dtv_slotinfo_list_len", GLIBC_NEEDED_FOR_LIBRARIES)        \
	X(GLIBC_SLOTINFO_LIST_NEXT, "dtv_slotinfo_list_next", GLIBC_NEEDED_FOR_LIBRARIES)      \
	X(GLIBC_SLOTINFO_LIST_SLOTS, "dtv_slotinfo_list_slotinfo", GLIBC_NEEDED_FOR_LIBRARIES) \
	X(GLIBC_SLOTINFO_GEN, "dtv_slotinfo_gen", GLIBC_NEEDED_FOR_LIBRARIES)

enum glibc_need { GLIBC_NEEDED_ALWAYS, GLIBC_NEEDED_IF_SHARED, GLIBC_NEEDED_FOR_LIBRARIES };

#define GLIBC_DESCRIPTOR_ENUM_(id, name, need) id,
enum glibc_descriptor_id { GLIBC_DESCRIPTORS(GLIBC_DESCRIPTOR_ENUM_) N_GLIBC_DESCRIPTORS };
#undef GLIBC_DESCRIPTOR_ENUM_

/* Variables of the loader, and those of a static program. */
#define GLIBC_SYMBOLS(X)                             \
	X(GLIBC_SYMBOL_RTLD_GLOBAL, "_rtld_global")  \
	X(GLIBC_SYMBOL_R_DEBUG, "_r_debug")          \
	X(GLIBC_SYMBOL_STACK_USED, "_dl_stack_used") \
	X(GLIBC_SYMBOL_STACK_USER, "_dl_stack_user")
#define GLIBC_SYMBOL_ENUM_(id, name) id,
enum glibc_symbol_id { GLIBC_SYMBOLS(GLIBC_SYMBOL_ENUM_) N_GLIBC_SYMBOLS };
#undef GLIBC_SYMBOL_ENUM_

/* Fields of rtld_global lie within it (about 4.5 KB); of other structs far lower. */
enum { GLIBC_MAX_FIELD_OFFSET = 65536 };

struct glibc_descriptor {
	bool found;
	uint32_t bits;
	uint32_t offset;
};

struct glibc_facts {
	struct glibc_descriptor descriptors[N_GLIBC_DESCRIPTORS];
	struct {
		bool found;
		uint64_t value; /* address in the file */
	} symbols[N_GLIBC_SYMBOLS];
};

extern const char *const glibc_descriptor_names[N_GLIBC_DESCRIPTORS];
extern const enum glibc_need glibc_descriptor_needs[N_GLIBC_DESCRIPTORS];
extern const char *const glibc_symbol_names[N_GLIBC_SYMBOLS];

/* One pass over the object's symbols; what it does not have is not found. */
void glibc_facts_read(struct elf_image *image, struct glibc_facts *ret);
/* Whether it defines one of the names above; any other name it does not. */
bool glibc_facts_define(const struct glibc_facts *facts, const char *name);

enum {
	OBJECT_FACTS_LOADS = 16, /* programs have four to ten */
	OBJECT_FACTS_NAME = 128,
	OBJECT_FACTS_TSD_PLACES = 8, /* one for each jemalloc in it, and what looks like it */
};

struct probe_object_facts {
	uint16_t machine;
	struct elf_load loads[OBJECT_FACTS_LOADS];
	size_t n_loads;
	bool has_tls;
	struct elf_tls tls;

	bool is_jemalloc; /* shows any sign of it */
	/* symbol_name is NULL: it stands below, "" when it is too long. */
	struct jemalloc_signs signs;
	char symbol_name[OBJECT_FACTS_NAME];
	/* Where jemalloc's thread data may be, if is_jemalloc; none when there are too many. */
	struct tsd_place tsd_places[OBJECT_FACTS_TSD_PLACES];
	size_t n_tsd_places;

	/* Only after object_facts_complete(). */
	bool is_complete;
	char build_id[2 * ELF_LIMIT_BUILD_ID_BYTES + 1]; /* digits; "" when it has none */
	struct glibc_facts glibc;
};

/* Where the counters are, from the start of the object's thread-local block. */
struct counter_offsets {
	uint64_t allocated, deallocated;
};

/*
 * The machine, segments and signs of jemalloc; what is not there is absent. An error when it
 * cannot be told whether there are such signs.
 */
struct error *object_facts_read(struct elf_image *image, const struct cancel *cancel,
				struct probe_object_facts *ret) MUST_CHECK;
/* The rest, which not everybody needs. */
void object_facts_complete(struct elf_image *image, struct probe_object_facts *facts);

/*
 * By the debug information of a file that is_jemalloc, whose name goes to ret_source if that is
 * not NULL. Errors of the domains elf and base; the expensive part.
 */
struct error *counter_offsets_read(const struct elf_debug_place *place,
				   const struct probe_object_facts *facts,
				   const struct cancel *cancel, struct counter_offsets *ret,
				   struct strbuf *ret_source) MUST_CHECK;

#endif
