/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every bound of this room. Generous for real programs, small enough for hostile ones. */
#ifndef KTSTR_ELF_LIMITS_H
#define KTSTR_ELF_LIMITS_H

#define ELF_LIMIT_SECTION_BYTES	     (UINT64_C(8) << 30)
#define ELF_LIMIT_DECOMPRESSED_BYTES (UINT64_C(1) << 30)
/*
 * A compressed section may claim to become this many times larger, and any may
 * become as large as the floor. zlib cannot do better than 1032; zstd can, but not on real debug
 * information.
 */
#define ELF_LIMIT_INFLATION		1100
#define ELF_LIMIT_INFLATION_FLOOR_BYTES (UINT64_C(1) << 20)
#define ELF_LIMIT_SECTIONS		(1u << 20)
/* A longer name is none that anybody looks for. */
#define ELF_LIMIT_SECTION_NAME	  4096u
#define ELF_LIMIT_SEGMENTS	  65536
#define ELF_LIMIT_BUILD_ID_BYTES  64
#define ELF_LIMIT_DEBUGLINK_BYTES 4096
#define ELF_LIMIT_NOTES		  1024
#define ELF_LIMIT_QUERY_MEMBERS	  64
#define ELF_LIMIT_UNITS		  (UINT64_C(1) << 22)
#define ELF_LIMIT_DIES		  (UINT64_C(1) << 31)
#define ELF_LIMIT_DIE_DEPTH	  256
/* Units that an index or an anchor may name, and places where a name may stand. */
#define ELF_LIMIT_UNIT_HITS   16
#define ELF_LIMIT_STRING_HITS 64
#define ELF_LIMIT_REFERENCES  65536
#define ELF_LIMIT_DWO_FILES   4096
/* Of one object's dynamic section. */
#define ELF_LIMIT_DYNAMIC_BYTES	 (UINT64_C(1) << 20)
#define ELF_LIMIT_DYNAMIC_STRING 4096
#define ELF_LIMIT_NEEDED	 4096
/* Of a program and all it needs. */
#define ELF_LIMIT_CLOSURE_FILES	 4096
#define ELF_LIMIT_LD_CACHE_BYTES (UINT64_C(64) << 20)
#define ELF_LIMIT_SCRIPT_DEPTH	 4
#define ELF_LIMIT_PATH_LINKS	 40
#define ELF_LIMIT_PATH_CHARS	 4096
/* Of the list of what was tried, in a message. */
#define ELF_LIMIT_TRIED_CHARS 4096
/* How many entries are visited between two looks at the cancel. */
#define ELF_CANCEL_STRIDE 4096

#endif
