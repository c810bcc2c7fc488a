// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/ctprof/rows.h"

#include <inttypes.h>
#include <string.h>

#include "metric/format.h"

/* Where rows go, and what all of them have. */
struct emitter {
	void (*take)(const struct row *row, void *arg);
	void *arg;
	const struct profile *profile;
	struct row base;
};

static void emit(const struct emitter *e, struct row row)
{
	row.section = e->base.section;
	row.key = e->base.key;
	e->take(&row, e->arg);
}

static void emit_reading(const struct emitter *e, const char *name, enum metric_unit unit,
			 const struct reading *reading)
{
	emit(e, (struct row){ .name = name,
			      .unit = unit,
			      .state = reading->known ? ROW_NUMBER : ROW_ABSENT,
			      .number = reading->value });
}

static struct row limit_row(const char *name, enum metric_unit unit, const struct limit *limit)
{
	static const enum row_state states[] = { [LIMIT_UNKNOWN] = ROW_ABSENT,
						 [LIMIT_NONE] = ROW_NO_LIMIT,
						 [LIMIT_VALUE] = ROW_NUMBER };

	return (struct row){
		.name = name, .unit = unit, .state = states[limit->state], .number = limit->value
	};
}

static void emit_text(const struct emitter *e, const char *name, uint32_t string)
{
	emit(e, (struct row){ .name = name,
			      .state = string ? ROW_TEXT : ROW_ABSENT,
			      .text = intern_text(&e->profile->snapshot->strings, string) });
}

static void emit_table(const struct emitter *e, const struct named_readings *table,
		       enum metric_unit (*unit_of)(const char *name))
{
	for (size_t i = 0; i < table->rows.n; i++) {
		const char *name = intern_text(&e->profile->snapshot->strings,
					       table->rows.at[i].name);

		emit(e, (struct row){ .name = name,
				      .unit = unit_of(name),
				      .state = ROW_NUMBER,
				      .number = table->rows.at[i].value });
	}
}

static enum metric_unit unit_of_memory_stat(const char *name)
{
	return memory_stat_is_gauge(name) ? METRIC_UNIT_BYTES : METRIC_UNIT_COUNT;
}

static enum metric_unit unit_of_io_stat(const char *name)
{
	return strstr(name, "bytes") ? METRIC_UNIT_BYTES : METRIC_UNIT_COUNT;
}

static enum metric_unit unit_of_counter(const char *name UNUSED)
{
	return METRIC_UNIT_COUNT;
}

static enum metric_unit unit_of_smaps(const char *name UNUSED)
{
	return METRIC_UNIT_BYTES;
}

static void emit_cgroup_stats(const struct emitter *e, const struct merged_cgroup *cgroup)
{
	const struct cgroup_stats *stats = &cgroup->stats;

	emit_reading(e, "cpu_usage_usec", METRIC_UNIT_US, &stats->cpu.usage_usec);
	emit_reading(e, "user_usec", METRIC_UNIT_US, &stats->cpu.user_usec);
	emit_reading(e, "system_usec", METRIC_UNIT_US, &stats->cpu.system_usec);
	emit_reading(e, "nr_periods", METRIC_UNIT_COUNT, &stats->cpu.nr_periods);
	emit_reading(e, "nr_throttled", METRIC_UNIT_COUNT, &stats->cpu.nr_throttled);
	emit_reading(e, "throttled_usec", METRIC_UNIT_US, &stats->cpu.throttled_usec);
	emit_reading(e, "nr_bursts", METRIC_UNIT_COUNT, &stats->cpu.nr_bursts);
	emit_reading(e, "burst_usec", METRIC_UNIT_US, &stats->cpu.burst_usec);
	emit_reading(e, "memory_current", METRIC_UNIT_BYTES, &stats->memory.current);
	/* Of one cgroup it is the same. */
	if (cgroup->measured - cgroup->nested > 1)
		emit_reading(e, "memory_current_total", METRIC_UNIT_BYTES,
			     &cgroup->memory_current_total);
	emit_reading(e, "memory_peak", METRIC_UNIT_BYTES, &stats->memory.peak);
	emit_reading(e, "memory_swap_current", METRIC_UNIT_BYTES, &stats->memory.swap_current);
	emit_reading(e, "pids_current", METRIC_UNIT_COUNT, &stats->pids.current);
	emit_reading(e, "pids_peak", METRIC_UNIT_COUNT, &stats->pids.peak);
	emit_table(e, &stats->io.stat, unit_of_io_stat);
}

/* QUOTA/PERIOD in one cell. */
static void emit_cpu_max(const struct emitter *e, const struct cgroup_stats *stats)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct row quota = limit_row("cpu.max.quota_us", METRIC_UNIT_US, &stats->cpu.max_quota_us);
	struct row period = { .name = "cpu.max.period_us",
			      .unit = METRIC_UNIT_US,
			      .state = stats->cpu.max_period_us.known ? ROW_NUMBER : ROW_ABSENT,
			      .number = stats->cpu.max_period_us.value,
			      .for_programs = true };
	struct row cell = { .name = "cpu.max", .state = quota.state, .for_people = true };

	if (quota.state != ROW_ABSENT) {
		row_format_value(&quota, &text);
		strbuf_append_char(&text, '/');
		row_format_value(&period, &text);
		cell.text = strbuf_str(&text);
	}
	if (quota.state == ROW_NUMBER)
		cell.state = ROW_TEXT;
	emit(e, cell);
	quota.for_programs = true;
	emit(e, quota);
	emit(e, period);
}

static void emit_cgroup_limits(const struct emitter *e, const struct merged_cgroup *cgroup)
{
	const struct cgroup_stats *stats = &cgroup->stats;
	int64_t nice = stats->cpu.weight_nice;

	emit_cpu_max(e, stats);
	emit_reading(e, "cpu.weight", METRIC_UNIT_NONE, &stats->cpu.weight);
	emit(e, (struct row){ .name = "cpu.weight.nice",
			      .state = stats->cpu.weight_nice_known ? ROW_SIGNED : ROW_ABSENT,
			      .number = (uint64_t)nice });
	emit(e, limit_row("memory.max", METRIC_UNIT_BYTES, &stats->memory.max));
	emit(e, limit_row("memory.high", METRIC_UNIT_BYTES, &stats->memory.high));
	emit(e, limit_row("memory.low", METRIC_UNIT_BYTES, &stats->memory.low));
	emit(e, limit_row("memory.min", METRIC_UNIT_BYTES, &stats->memory.min));
	emit(e, limit_row("pids.max", METRIC_UNIT_NONE, &stats->pids.max));
	emit_text(e, "cpuset.cpus.effective", stats->cpuset_effective);
}

static void emit_memory_stat(const struct emitter *e, const struct merged_cgroup *cgroup)
{
	emit_table(e, &cgroup->stats.memory.stat, unit_of_memory_stat);
}

static void emit_memory_events(const struct emitter *e, const struct merged_cgroup *cgroup)
{
	emit_table(e, &cgroup->stats.memory.events, unit_of_counter);
}

static void emit_half(const struct emitter *e, const struct pressure_half *half,
		      const char *const names[4])
{
	const uint64_t averages[] = { half->avg10, half->avg60, half->avg300 };

	for (size_t i = 0; i < ARRAY_SIZE(averages); i++)
		emit(e, (struct row){ .name = names[i],
				      .state = half->known ? ROW_PERCENT : ROW_ABSENT,
				      .number = averages[i] });
	emit_reading(e, names[3], METRIC_UNIT_US,
		     &(struct reading){ half->known, half->total_usec });
}

#define HALF_NAMES_(resource, half)                                                            \
	{ resource "." half ".avg10", resource "." half ".avg60", resource "." half ".avg300", \
	  resource "." half ".total_usec" }
#define RESOURCE_NAMES_(id, word) { HALF_NAMES_(word, "some"), HALF_NAMES_(word, "full") },

static void emit_pressure(const struct emitter *e, const struct pressure *pressure)
{
	static const char *const names[N_PRESSURE_RESOURCES][2][4] = { PRESSURE_RESOURCES(
		RESOURCE_NAMES_) };

	for (int i = 0; i < N_PRESSURE_RESOURCES; i++) {
		emit_half(e, &pressure->resources[i].some, names[i][0]);
		emit_half(e, &pressure->resources[i].full, names[i][1]);
	}
}

static void emit_cgroup_pressure(const struct emitter *e, const struct merged_cgroup *cgroup)
{
	emit_pressure(e, &cgroup->stats.pressure);
}

static void emit_cgroups(struct emitter *e, enum metric_section section,
			 void (*one)(const struct emitter *e, const struct merged_cgroup *cgroup))
{
	e->base.section = section;
	for (size_t i = 0; i < e->profile->cgroups.rows.n; i++) {
		e->base.key = (struct group_key){ .cgroup = e->profile->cgroups.rows.at[i].key };
		one(e, &e->profile->cgroups.rows.at[i]);
	}
	e->base.key = (struct group_key){ 0 };
}

static void emit_smaps(struct emitter *e)
{
	size_t n = e->profile->smaps.rows.n;

	if (e->profile->options->top && e->profile->options->top < n)
		n = e->profile->options->top;
	for (size_t i = 0; i < n; i++) {
		const struct smaps_group *group = &e->profile->smaps.rows.at[i];

		e->base.key = group->key;
		e->base.key.process = group->shown_as;
		emit(e, (struct row){ .name = "processes",
				      .state = ROW_NUMBER,
				      .number = group->processes,
				      .unit = METRIC_UNIT_COUNT });
		emit_table(e, &group->bytes, unit_of_smaps);
	}
	e->base.key = (struct group_key){ 0 };
}

static void emit_sched_ext(const struct emitter *e, const struct sched_ext *ext)
{
	/* A kernel without it has no rows, rather than absent ones. */
	if (!ext->known)
		return;
	emit_text(e, "state", ext->state);
	emit_text(e, "ops", ext->ops);
	emit_reading(e, "switch_all", METRIC_UNIT_NONE, &ext->switch_all);
	emit_reading(e, "nr_rejected", METRIC_UNIT_NONE, &ext->nr_rejected);
	emit_reading(e, "hotplug_seq", METRIC_UNIT_NONE, &ext->hotplug_seq);
	emit_reading(e, "enable_seq", METRIC_UNIT_NONE, &ext->enable_seq);
	emit_table(e, &ext->events, unit_of_counter);
}

void rows_each(const struct profile *profile, void (*take)(const struct row *row, void *arg),
	       void *arg)
{
	static const struct {
		enum metric_section section;
		void (*one)(const struct emitter *e, const struct merged_cgroup *cgroup);
	} of_cgroups[] = {
		{ METRIC_SECTION_CGROUP_STATS, emit_cgroup_stats },
		{ METRIC_SECTION_CGROUP_LIMITS, emit_cgroup_limits },
		{ METRIC_SECTION_MEMORY_STAT, emit_memory_stat },
		{ METRIC_SECTION_MEMORY_EVENTS, emit_memory_events },
		{ METRIC_SECTION_PRESSURE, emit_cgroup_pressure },
	};
	const struct section_choice *chosen = &profile->options->sections;
	struct emitter e = { .take = take, .arg = arg, .profile = profile };

	for (size_t i = 0; i < ARRAY_SIZE(of_cgroups); i++) {
		if (section_is_chosen(chosen, of_cgroups[i].section))
			emit_cgroups(&e, of_cgroups[i].section, of_cgroups[i].one);
	}
	e.base.section = METRIC_SECTION_HOST_PRESSURE;
	if (section_is_chosen(chosen, e.base.section))
		emit_pressure(&e, &profile->snapshot->pressure);
	e.base.section = METRIC_SECTION_SMAPS_ROLLUP;
	if (section_is_chosen(chosen, e.base.section))
		emit_smaps(&e);
	e.base.section = METRIC_SECTION_SCHED_EXT;
	if (section_is_chosen(chosen, e.base.section))
		emit_sched_ext(&e, &profile->snapshot->sched_ext);
}

bool row_says_something(const struct row *row)
{
	if (row->state == ROW_ABSENT || row->state == ROW_NO_LIMIT)
		return false;
	return row->state == ROW_TEXT || row->number != 0;
}

void row_format_value(const struct row *row, struct strbuf *into)
{
	switch (row->state) {
	case ROW_ABSENT:
		strbuf_append_char(into, '-');
		break;
	case ROW_NUMBER:
		metric_format_value(row->unit, row->number, into);
		break;
	case ROW_SIGNED:
		strbuf_appendf(into, "%" PRId64, (int64_t)row->number);
		break;
	case ROW_PERCENT:
		metric_format_centi_percent(row->number, into);
		break;
	case ROW_NO_LIMIT:
		strbuf_append(into, row->text ? row->text : "max");
		break;
	case ROW_TEXT:
		strbuf_append(into, row->text);
		break;
	}
}

const char *row_unit_word(const struct row *row)
{
	return row->state == ROW_PERCENT ? "percent" : metric_unit_word(row->unit);
}
