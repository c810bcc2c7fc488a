// SPDX-License-Identifier: LGPL-2.1-or-later
#include "base/clock.h"
#include "work/group.h"

static const char *const ends[WORK_N_ENDS] = {
#define END(id, word, meaning) [WORK_END_##id] = word,
#include "work/ends.def"
#undef END
};

const char *work_end_name(enum work_end end)
{
	return ends[end];
}

uint64_t work_report_stall_ns(const struct work_slot_figures *f, uint64_t now_ns)
{
	uint64_t since_ns = now_ns > f->last_checkpoint_ns ? now_ns - f->last_checkpoint_ns : 0;

	return since_ns > f->asleep_ns ? since_ns - f->asleep_ns : 0;
}

/* The time since the last checkpoint is sleep as far as that was asked for, the rest a gap. */
static void add_what_lasts(const struct work_slot_figures *f, uint64_t opened_at_ns,
			   uint64_t now_ns, struct work_report *r)
{
	uint64_t since_ns = now_ns > f->last_checkpoint_ns ? now_ns - f->last_checkpoint_ns : 0;
	uint64_t stall_ns = work_report_stall_ns(f, now_ns);

	r->wall_ns += since_ns;
	r->sleep_ns += since_ns - stall_ns;
	if (stall_ns > r->max_gap_ns) {
		r->max_gap_ns = stall_ns;
		r->gap_at_ns = now_ns - opened_at_ns;
		r->gap_cpu = (int)f->cpu;
	}
}

void work_report_fill(const struct work_slot_figures *f, uint64_t opened_at_ns, uint64_t now_ns,
		      struct work_report *r)
{
#define COUNTED(name, meaning) r->name = f->name;
#include "exchange/figures.def"
#undef COUNTED
	r->wall_ns = f->last_checkpoint_ns - opened_at_ns;
	r->has_run_delay = f->has_run_delay;
	r->run_delay_ns = f->run_delay_ns;
	r->gap_cpu = (int)f->gap_cpu;
	r->has_outside = f->cpus_checks > 0;
	r->outside_at_ns = f->outside_at_ns;
	switch (r->end) {
	case WORK_END_RUNNING:
	case WORK_END_KILLED:
	case WORK_END_STUCK:
		add_what_lasts(f, opened_at_ns, now_ns, r);
		break;
	default:
		break;
	}
}

/* A worker that was never on a CPU: its gap began when the gate was opened. */
static struct work_slot_figures figures_of(struct work_group *group, size_t i,
					   uint64_t opened_at_ns)
{
	struct work_slot_figures figures = { .gap_cpu = -1,
					     .cpu = -1,
					     .last_checkpoint_ns = opened_at_ns };

	work_slot_read(&group->shared->slots[i], &figures);
	return figures;
}

void work_conclude(struct work_group *group)
{
	uint64_t opened_at_ns = work_gate_opened_at_ns(group->gate);

	if (group->concluded)
		return;
	group->concluded = true;
	for (unsigned int i = 0; opened_at_ns && i < group->n_started; i++) {
		struct work_slot_figures figures = figures_of(group, i, opened_at_ns);

		if (!work_member_settle(group, i))
			group->members[i].stall_ns = work_report_stall_ns(&figures,
									  clock_monotonic_ns());
	}
}

void work_sample(struct work_group *group, size_t i, struct work_report *ret)
{
	struct work_member *m = &group->members[i];
	struct work_slot *slot = &group->shared->slots[i];
	uint64_t opened_at_ns = work_gate_opened_at_ns(group->gate);
	struct work_report report = { .pid = m->pid, .gap_cpu = -1, .stall_ns = m->stall_ns };
	struct work_slot_figures figures;
	uint64_t now_ns;

	if (work_member_settle(group, i)) {
		report.end = m->end;
		report.code = m->code;
	} else if (group->stopped) {
		report.end = WORK_END_STUCK;
	} else {
		report.end = opened_at_ns ? WORK_END_RUNNING : WORK_END_WAITING;
	}
	figures = figures_of(group, i, opened_at_ns);
	work_slot_read_outside(slot, &report.outside, &report.outside_had);
	work_slot_read_cpus(slot, &report.cpus_used);
	/* After the figures were read, or they could be younger than "now". */
	now_ns = m->killed_at_ns ? m->killed_at_ns : clock_monotonic_ns();
	if (opened_at_ns && report.end != WORK_END_NEVER_STARTED)
		work_report_fill(&figures, opened_at_ns, now_ns, &report);
	*ret = report;
}
