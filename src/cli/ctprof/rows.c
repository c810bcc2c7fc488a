// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/ctprof/show.h"

#include <inttypes.h>
#include <string.h>

#include "base/alloc.h"
#include "ctprof/cgroup_rows.h"
#include "metric/format.h"

/* Where rows go, and what all of them have. */
struct emitter {
	row_fn take;
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
			 const struct procfs_reading *reading)
{
	emit(e, (struct row){ .name = name,
			      .unit = unit,
			      .state = reading->known ? ROW_NUMBER : ROW_ABSENT,
			      .number = reading->value });
}

static void emit_text(const struct emitter *e, const char *name, uint32_t string)
{
	emit(e, (struct row){ .name = name,
			      .state = string ? ROW_TEXT : ROW_ABSENT,
			      .text = intern_text(&e->profile->snapshot->strings, string) });
}

/* `row` says the unit of each line of a cgroup's table. */
static void emit_table(const struct emitter *e, const struct procfs_named_readings *table,
		       const struct ctprof_cgroup_row *row, enum metric_unit unit)
{
	for (size_t i = 0; i < table->rows.n; i++) {
		const char *name = intern_text(&e->profile->snapshot->strings,
					       table->rows.at[i].name);

		emit(e, (struct row){ .name = name,
				      .unit = row ? ctprof_cgroup_row_unit(row, name) : unit,
				      .state = ROW_NUMBER,
				      .number = table->rows.at[i].value });
	}
}

static struct row cgroup_row(const struct emitter *e, const struct ctprof_cgroup_row *row,
			     const struct procfs_reading *value)
{
	struct row cell = { .name = row->name, .unit = row->unit, .number = value->value };

	if (!value->known)
		cell.state = ROW_ABSENT;
	else if (value->unlimited)
		cell.state = ROW_NO_LIMIT;
	else if (row->form == PROCFS_CGROUP_FORM_NICE)
		cell.state = ROW_SIGNED;
	else
		cell.state = row->form == PROCFS_CGROUP_FORM_TEXT ? ROW_TEXT : ROW_NUMBER;
	if (cell.state == ROW_TEXT)
		cell.text = intern_text(&e->profile->snapshot->strings, (uint32_t)value->value);
	cell.for_programs = row->form == PROCFS_CGROUP_FORM_QUOTA ||
			    row->form == PROCFS_CGROUP_FORM_PERIOD;
	return cell;
}

/* QUOTA/PERIOD in one cell. */
static void emit_cpu_max(const struct emitter *e, const struct procfs_cgroup_stats *stats,
			 const struct ctprof_cgroup_row *row)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct row quota = cgroup_row(e, row, &stats->cpu_max_quota_us);
	struct row period = cgroup_row(e, row, &stats->cpu_max_period_us);
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
}

static void emit_cgroup(const struct emitter *e, const struct ctprof_merged_cgroup *cgroup)
{
	for (size_t i = 0; i < CTPROF_N_CGROUP_ROWS; i++) {
		const struct ctprof_cgroup_row *row = &ctprof_cgroup_rows[i];
		const void *at = ctprof_cgroup_row_at(row, &cgroup->stats);

		if (row->section != e->base.section)
			continue;
		if (row->form == PROCFS_CGROUP_FORM_QUOTA)
			emit_cpu_max(e, &cgroup->stats, row);
		if (row->is_table)
			emit_table(e, at, row, row->unit);
		else
			emit(e, cgroup_row(e, row, at));
		/* Of one cgroup it is the same. */
		if (at == &cgroup->stats.memory_current && cgroup->measured - cgroup->nested > 1)
			emit_reading(e, "memory_current_total", METRIC_UNIT_BYTES,
				     &cgroup->memory_current_total);
	}
}

static void emit_pressure(const struct emitter *e, const struct procfs_pressure *pressure)
{
	const int n = PROCFS_N_PRESSURE_HALVES * CTPROF_N_PRESSURE_ROWS;

	for (int i = 0; i < PROCFS_N_PRESSURE_RESOURCES * n; i++) {
		const struct ctprof_pressure_row *row =
			&ctprof_pressure_rows[i % CTPROF_N_PRESSURE_ROWS];
		int h = i % n / CTPROF_N_PRESSURE_ROWS;
		const struct procfs_pressure_half *half = &pressure->resources[i / n].half[h];
		enum row_state known = row->is_percent ? ROW_PERCENT : ROW_NUMBER;
		_cleanup_free_ char *name = xasprintf("%s.%s.%s",
						      procfs_pressure_resource_names[i / n],
						      procfs_pressure_half_names[h], row->name);

		emit(e, (struct row){ .name = name,
				      .unit = row->is_percent ? METRIC_UNIT_NONE : METRIC_UNIT_US,
				      .state = half->known ? known : ROW_ABSENT,
				      .number = *ctprof_pressure_row_at(row, half) });
	}
}

static void emit_smaps(struct emitter *e)
{
	size_t n = e->profile->smaps.rows.n;

	if (e->profile->options->top && e->profile->options->top < n)
		n = e->profile->options->top;
	for (size_t i = 0; i < n; i++) {
		const struct ctprof_smaps_group *group = &e->profile->smaps.rows.at[i];

		e->base.key = group->key;
		e->base.key.process = group->shown_as;
		emit(e, (struct row){ .name = "processes",
				      .state = ROW_NUMBER,
				      .number = group->processes,
				      .unit = METRIC_UNIT_COUNT });
		emit_table(e, &group->bytes, NULL, METRIC_UNIT_BYTES);
	}
}

static void emit_sched_ext(struct emitter *e)
{
	const struct procfs_sched_ext *ext = &e->profile->snapshot->sched_ext;

	/* A kernel without it has no rows, rather than absent ones. */
	if (!ext->known)
		return;
	emit_text(e, "state", ext->state);
	emit_text(e, "ops", ext->ops);
	emit_reading(e, "switch_all", METRIC_UNIT_NONE, &ext->switch_all);
	emit_reading(e, "nr_rejected", METRIC_UNIT_NONE, &ext->nr_rejected);
	emit_reading(e, "hotplug_seq", METRIC_UNIT_NONE, &ext->hotplug_seq);
	emit_reading(e, "enable_seq", METRIC_UNIT_NONE, &ext->enable_seq);
	emit_table(e, &ext->events, NULL, METRIC_UNIT_COUNT);
}

void rows_of_section(const struct profile *profile, enum metric_section section, row_fn take,
		     void *arg)
{
	struct emitter e = { take, arg, profile, { .section = section } };

	if (!section_is_chosen(&profile->options->sections, section))
		return;
	for (size_t i = 0; i < profile->cgroups.rows.n; i++) {
		const struct ctprof_merged_cgroup *cgroup = &profile->cgroups.rows.at[i];

		e.base.key = (struct ctprof_group_key){ .cgroup = cgroup->key };
		emit_cgroup(&e, cgroup);
		if (section == METRIC_SECTION_PRESSURE)
			emit_pressure(&e, &cgroup->stats.pressure);
	}
	e.base.key = (struct ctprof_group_key){ 0 };
	if (section == METRIC_SECTION_HOST_PRESSURE)
		emit_pressure(&e, &profile->snapshot->pressure);
	else if (section == METRIC_SECTION_SMAPS_ROLLUP)
		emit_smaps(&e);
	else if (section == METRIC_SECTION_SCHED_EXT)
		emit_sched_ext(&e);
}

static struct row row_of_derived(const struct ctprof_group *group, enum metric_derived_id id)
{
	struct metric_derived_value value = metric_derived_compute(id, group->values);

	return (struct row){ .name = metric_derived[id].name,
			     .section = metric_derived[id].section,
			     .unit = metric_derived[id].unit,
			     .state = value.known ? ROW_COMPUTED : ROW_ABSENT,
			     .computed = value.value,
			     .measured = value.measured,
			     .of = value.of };
}

static struct row row_of_metric(const struct profile *profile, const struct ctprof_group *group,
				enum metric_id id)
{
	const struct metric_reduced *value = &group->values[id];
	enum metric_kind kind = metric_rows[id].kind;
	struct row row = { .name = metric_rows[id].name,
			   .section = metric_rows[id].section,
			   .unit = metric_rows[id].unit,
			   .reduced = value,
			   .measured = value->measured,
			   .of = value->of };

	if (metric_reduced_is_absent(value, kind))
		return row;
	switch (metric_reduction(kind)) {
	case METRIC_REDUCTION_COUNT:
	case METRIC_REDUCTION_SUM:
	case METRIC_REDUCTION_LARGEST:
	case METRIC_REDUCTION_LEAST:
		row.state = ROW_NUMBER;
		row.number = value->value;
		break;
	case METRIC_REDUCTION_RANGE:
		row.state = ROW_RANGE;
		row.least = value->range.least;
		row.most = value->range.most;
		break;
	case METRIC_REDUCTION_MODE:
		row.state = ROW_LABEL;
		break;
	case METRIC_REDUCTION_CPUS:
		row.state = ROW_CPUS;
		row.least = value->cpus.least;
		row.most = value->cpus.most;
		if (value->cpus.list < profile->snapshot->cpu_lists.n)
			row.cpus = profile->snapshot->cpu_lists.at[value->cpus.list].at;
		break;
	}
	return row;
}

void rows_of_group(const struct profile *profile, const struct ctprof_group *group, size_t from,
		   size_t to, row_fn take, void *arg)
{
	for (size_t m = from; m < to; m++) {
		struct row row;

		if (!profile_wants(profile, m))
			continue;
		row = m < METRIC_N ? row_of_metric(profile, group, (enum metric_id)m)
				   : row_of_derived(group, (enum metric_derived_id)(m - METRIC_N));
		row.key = group->key;
		row.group = group;
		row.metric = m;
		take(&row, arg);
	}
}

bool row_says_something(const struct row *row)
{
	if (row->state == ROW_ABSENT || row->state == ROW_NO_LIMIT)
		return false;
	if (row->reduced)
		return !metric_reduced_is_zero(row->reduced, metric_rows[row->metric].kind);
	if (row->state == ROW_COMPUTED)
		return row->computed != 0;
	return row->state == ROW_TEXT || row->number != 0;
}

bool row_is_partial(const struct row *row)
{
	return row->state != ROW_ABSENT && row->measured < row->of;
}

void row_format_text(const struct row *row, struct strbuf *into)
{
	struct metric_tally_entry winner;

	if (row->state == ROW_TEXT)
		strbuf_append(into, row->text);
	if (row->state == ROW_LABEL &&
	    metric_reduced_mode(row->reduced, metric_rows[row->metric].kind, &winner))
		metric_label_format(metric_rows[row->metric].kind, winner.value, into);
	if (row->state == ROW_CPUS && row->cpus)
		metric_format_cpus(row->cpus, (size_t)row->least, into);
}

void row_format_value(const struct row *row, struct strbuf *into)
{
	if (row->reduced) {
		metric_format_reduced((enum metric_id)row->metric, row->reduced, row->cpus, into);
		return;
	}
	switch (row->state) {
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
	case ROW_COMPUTED:
		metric_format_derived(row->unit, row->computed, into);
		break;
	case ROW_ABSENT:
	default:
		strbuf_append_char(into, '-');
		break;
	}
}

const char *row_unit_name(const struct row *row)
{
	return row->state == ROW_PERCENT ? "percent" : metric_unit_name(row->unit);
}
