/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* <ktstr/ktstr.h> with short names, for files that declare nothing but tests. */
#ifndef KTSTR_SHORT_H
#define KTSTR_SHORT_H

#ifdef KTSTR_KTSTR_H
/* Too late for the enum itself: constants of another one. */
enum {
#define KTSTR_WORK_KIND(id, ...) WORK_##id = KTSTR_WORK_##id,
#include <ktstr/work_kinds.def>
#undef KTSTR_WORK_KIND
};
#endif
#include <ktstr/ktstr.h>

#define LLC	 KTSTR_LLC
#define NODE	 KTSTR_NODE
#define CPUS	 KTSTR_CPUS
#define AT_MOST	 KTSTR_AT_MOST
#define AT_LEAST KTSTR_AT_LEAST
#define REQUIRED KTSTR_REQUIRED
#define OFF	 KTSTR_OFF

#define EXPECT	KTSTR_EXPECT
#define REQUIRE KTSTR_REQUIRE
#define NEED	KTSTR_NEED

#endif
