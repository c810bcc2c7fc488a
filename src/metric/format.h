/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Values as tables show them. Each unit is a ladder: a value takes the largest step it reaches, the
 * lowest step is whole ("850ns"), higher ones have three decimals ("1.235ms"). Files carry exact
 * numbers instead.
 *
 *	ns     ns, µs, ms, s
 *	µs     µs, ms, s
 *	bytes  B, KiB, MiB, GiB, TiB
 *	ticks  ticks, Kticks, Mticks
 *	count  (none), K, M, G
 */
#ifndef KTSTR_METRIC_FORMAT_H
#define KTSTR_METRIC_FORMAT_H

#include "metric/reduce.h"

/* "ns", "us", "bytes", "ticks", "count", "ratio", "" */
const char *metric_unit_word(enum metric_unit unit);

void metric_format_value(enum metric_unit unit, uint64_t value, struct strbuf *into);
/* With a sign: "+5ns", "-1.500KiB", "+0", "+0.500" for the half of a middle. */
void metric_format_delta(enum metric_unit unit, long double delta, struct strbuf *into);
/* Computed: "0.873" for a ratio, "123.40ns" on the lowest step. */
void metric_format_derived(enum metric_unit unit, long double value, struct strbuf *into);
void metric_format_derived_delta(enum metric_unit unit, long double delta, struct strbuf *into);
/* "+12.3%" of 0.123 */
void metric_format_percent(long double fraction, struct strbuf *into);
/* Hundredths of a percent: "1.50%". */
void metric_format_centi_percent(uint64_t hundredths, struct strbuf *into);
/* "0-3,8" of ascending ids, each once. */
void metric_format_cpus(const uint32_t *ids, size_t n, struct strbuf *into);

/*
 * "-" when absent, else by reduction: a value; "5" or "1..9"; "S", or "S (3/5)" when not
 * unanimous; "4 cpus (0-3)", "4 cpus (mixed)", "1-4 cpus (mixed)". cpus are the ids of the list
 * that a set names; looked at for no other kind.
 */
void metric_format_reduced(enum metric_id id, const struct metric_reduced *value,
			   const uint32_t *cpus, struct strbuf *into);

#endif
