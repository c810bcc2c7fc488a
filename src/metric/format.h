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

#include "base/strbuf.h"
#include "metric/reduce.h"

/* "ns", "us", "bytes", "ticks", "count", "ratio", "" */
const char *metric_unit_name(enum metric_unit unit);

void metric_format_value(enum metric_unit unit, uint64_t value, struct strbuf *into);
/* Computed: "0.873" for a ratio, "123.40ns" on the lowest step. */
void metric_format_derived(enum metric_unit unit, long double value, struct strbuf *into);
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

/* Scheduling policies by name: SCHED_OTHER … SCHED_EXT, others SCHED_UNKNOWN(n). */

/* The kernel's numbers; 4 was never given to anybody. */
#define METRIC_POLICIES(X)     \
	X(0, "SCHED_OTHER")    \
	X(1, "SCHED_FIFO")     \
	X(2, "SCHED_RR")       \
	X(3, "SCHED_BATCH")    \
	X(5, "SCHED_IDLE")     \
	X(6, "SCHED_DEADLINE") \
	X(7, "SCHED_EXT")

void metric_policy_format(uint64_t policy, struct strbuf *into);
/* Exactly what metric_policy_format() writes; false when it is not that. */
bool metric_policy_parse(const char *text, size_t n, uint64_t *ret);

/*
 * Names that differ only in numbers made one. A name is cut at `. - _ / : @ + [ ]` and blanks,
 * which stay as they are; each token between them becomes, by the first rule that fits:
 *
 *	{U}           a whole UUID of five tokens joined by `-` or by `_`, behind letters, too:
 *	              podbd1cf2d2_96a5_4a5e_9a0a_5c2d6b9d0b54 is pod{U}
 *	{H}           12 or more hexadecimal digits with a letter among them, or more digits than
 *	              a 64-bit number has: ids of containers, build ids, checksums
 *	{N}           digits
 *	{H}           2 or more of 0-9a-f with a digit among them
 *	letters{N}    letters, then digits
 *	{N}letters    digits, then letters
 *	unchanged     anything else
 */

void metric_pattern_format(const char *name, struct strbuf *into);

#endif
