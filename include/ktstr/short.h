/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* <ktstr/ktstr.h> with short names, for files that declare nothing but tests. */
#ifndef KTSTR_SHORT_H
#define KTSTR_SHORT_H

#include <ktstr/ktstr.h>

#define LLC	 KTSTR_LLC
#define NODE	 KTSTR_NODE
#define CPUS	 KTSTR_CPUS
#define AT_MOST	 KTSTR_AT_MOST
#define AT_LEAST KTSTR_AT_LEAST
#define REQUIRED KTSTR_REQUIRED
#define OFF	 KTSTR_OFF

#define WORK_SPIN   KTSTR_WORK_SPIN
#define WORK_BURSTY KTSTR_WORK_BURSTY
#define WORK_YIELD  KTSTR_WORK_YIELD
#define WORK_SLEEP  KTSTR_WORK_SLEEP

#define EXPECT	KTSTR_EXPECT
#define REQUIRE KTSTR_REQUIRE
#define NEED	KTSTR_NEED

#endif
