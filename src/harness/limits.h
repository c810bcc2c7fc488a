/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every bound of this room. */
#ifndef KTSTR_HARNESS_LIMITS_H
#define KTSTR_HARNESS_LIMITS_H

#include "base/clock.h"

/* A program that lists its tests does nothing else. */
#define HARNESS_LIMIT_LISTING_NS (10 * NS_PER_SEC)

enum {
	HARNESS_LIMIT_LISTING_BYTES = 16 << 20,
	/* Of a program's own words about its mistakes. */
	HARNESS_LIMIT_MISTAKES_BYTES = 1 << 20,
	HARNESS_LIMIT_VARIANTS = 100000,
	HARNESS_LIMIT_REPEAT = 100000,
	HARNESS_LIMIT_CONFIG_BYTES = 16 << 20,
	/* A test binary with all it carries. */
	HARNESS_LIMIT_BINARY_BYTES = 1 << 30,

	/* What one report may hold; its lines have their limits in wire/report.h. */
	HARNESS_LIMIT_REPORT_PARTS = 4096,
	HARNESS_LIMIT_REPORT_NOTES = 16384,
	/* A test goes through each stage once. */
	HARNESS_LIMIT_REPORT_STAGES = 64,
	HARNESS_LIMIT_REPORT_PAYLOADS = 4096,
	HARNESS_LIMIT_REPORT_WORKERS = 16384,
	HARNESS_LIMIT_REPORT_CGROUPS = 256,
	/* Of all payloads together. */
	HARNESS_LIMIT_REPORT_METRICS = 200000,
	HARNESS_LIMIT_REPORT_TEXTS = 32,
	HARNESS_LIMIT_REPORT_TEXT_BYTES = 16 << 20,
};

/* A file that is sent into a guest. */
#define HARNESS_LIMIT_FILE_BYTES (UINT64_C(4) << 30)

#endif
