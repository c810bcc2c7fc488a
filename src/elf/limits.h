/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every bound of this room. Generous for real programs, small enough for hostile ones. */
#ifndef KTSTR_ELF_LIMITS_H
#define KTSTR_ELF_LIMITS_H

#define ELF_LIMIT_FILE_BYTES	(UINT64_C(64) << 30)
#define ELF_LIMIT_SECTION_BYTES (UINT64_C(8) << 30)
/* A section that claims to grow by more than this is refused unread: zlib cannot do better than
 * 1032. */
#define ELF_LIMIT_INFLATION	  1100
#define ELF_LIMIT_COMPRESSED_OUT  (UINT64_C(2) << 30)
#define ELF_LIMIT_SECTIONS	  (1u << 20)
#define ELF_LIMIT_SEGMENTS	  65536
#define ELF_LIMIT_SYMBOLS	  (UINT64_C(1) << 26)
#define ELF_LIMIT_BUILD_ID_BYTES  64
#define ELF_LIMIT_DEBUGLINK_BYTES 4096
#define ELF_LIMIT_NOTES		  1024
#define ELF_LIMIT_QUERY_MEMBERS	  64
#define ELF_LIMIT_UNITS		  (UINT64_C(1) << 22)
#define ELF_LIMIT_DIES		  (UINT64_C(1) << 31)
#define ELF_LIMIT_DIE_DEPTH	  256
#define ELF_LIMIT_CANDIDATE_UNITS 512
#define ELF_LIMIT_INDEX_ENTRIES	  (UINT64_C(1) << 28)
/* How many entries are visited between two looks at the cancel. */
#define ELF_CANCEL_STRIDE 4096

#endif
