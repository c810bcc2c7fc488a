// SPDX-License-Identifier: LGPL-2.1-or-later
#include "metric/metric.h"

#include <string.h>

#define METRIC(id, name, kind, unit, source, section, class, configs, key, bpf, description) \
	{ name,                                                                              \
	  METRIC_KIND_##kind,                                                                \
	  METRIC_UNIT_##unit,                                                                \
	  METRIC_SOURCE_##source,                                                            \
	  METRIC_SECTION_##section,                                                          \
	  METRIC_CLASS_##class,                                                              \
	  configs,                                                                           \
	  #key,                                                                              \
	  description },
const struct metric metric_rows[METRIC_N] = {
#include "metric/metrics.def"
};
#undef METRIC

#define METRIC_SOURCE(id, word, file, what) { word, file, what },
const struct metric_source_row metric_sources[METRIC_N_SOURCES] = {
#include "metric/sources.def"
};
#undef METRIC_SOURCE

#define SECTION_ROW_(id, word, heading, what) { word, heading, what },
const struct metric_section_row metric_sections[METRIC_N_SECTIONS] = { METRIC_SECTIONS(
	SECTION_ROW_) };
#undef SECTION_ROW_

#define WORD_ROW_(id, word, what) { word, what },
const struct metric_word metric_kinds[METRIC_N_KINDS] = { METRIC_KINDS(WORD_ROW_) };
const struct metric_word metric_classes[METRIC_N_CLASSES] = { METRIC_CLASSES(WORD_ROW_) };
#undef WORD_ROW_

bool metric_find(const char *name, enum metric_id *ret)
{
	for (int i = 0; i < METRIC_N; i++) {
		if (strcmp(metric_rows[i].name, name) == 0) {
			*ret = (enum metric_id)i;
			return true;
		}
	}
	return false;
}
