// SPDX-License-Identifier: LGPL-2.1-or-later
#include "wire/report.h"

#include <string.h>

static const char *const report_words[] = {
#define WIRE_REPORT_KIND(id, word, when) [WIRE_REPORT_##id] = word,
#include "wire/reports.def"
#undef WIRE_REPORT_KIND
};

static const char *const stage_words[] = {
#define WIRE_STAGE(id, word, meaning) [WIRE_STAGE_##id] = word,
#include "wire/stages.def"
#undef WIRE_STAGE
};

const char *wire_report_name(enum wire_report_kind kind)
{
	return report_words[kind];
}

const char *wire_stage_name(enum wire_stage stage)
{
	return stage_words[stage];
}

bool wire_report_find(const char *word, size_t n, enum wire_report_kind *ret)
{
	for (size_t i = 0; i < ARRAY_SIZE(report_words); i++) {
		if (strlen(report_words[i]) == n && memcmp(report_words[i], word, n) == 0) {
			*ret = (enum wire_report_kind)i;
			return true;
		}
	}
	return false;
}
