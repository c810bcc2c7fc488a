/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the probe must know about an ELF object. It depends on the file alone, so it is found once
 * for all processes that have it mapped; and it is plain data, so it may be found in another
 * process, which a hostile file can at most kill.
 */
#ifndef KTSTR_PROBE_OBJECT_FACTS_H
#define KTSTR_PROBE_OBJECT_FACTS_H

#include "base/cancel.h"
#include "elf/limits.h"
#include "elf/member_lookup.h"
#include "elf/tls_segment.h"
#include "probe/glibc_facts.h"
#include "probe/jemalloc.h"
#include "probe/tsd_image.h"

enum {
	OBJECT_FACTS_LOADS = 16, /* programs have four to ten */
	OBJECT_FACTS_NAME = 128,
	OBJECT_FACTS_TSD_PLACES = 8, /* one for each jemalloc in it, and what looks like it */
};

struct object_facts {
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
				struct object_facts *ret) MUST_CHECK;
/* The rest, which not everybody needs. */
void object_facts_complete(struct elf_image *image, struct object_facts *facts);

/*
 * By the debug information of a file that is_jemalloc, whose name goes to ret_source if that is
 * not NULL. Errors of the domains elf and base; the expensive part.
 */
struct error *counter_offsets_read(const struct debug_place *place,
				   const struct object_facts *facts, const struct cancel *cancel,
				   struct counter_offsets *ret,
				   struct strbuf *ret_source) MUST_CHECK;

#endif
