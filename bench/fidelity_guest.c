// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * usage: fidelity_guest [MS of each phase [MS of the spread]]
 * How true the machine is that this runs on: one JSON object, times in nanoseconds. Static, so that
 * it runs in a guest.
 */
#include <stdio.h>
#include <stdlib.h>

#include "agent/measure.h"
#include "base/clock.h"

enum { ALL_LOADS = (1 << AGENT_N_LOADS) - 1, PHASE_MS = 200, SPREAD_MS = 5000 };

static void print_delays(const char *name, struct agent_delays d)
{
	printf(", \"%s\": {\"n\": %lu, \"mean\": %lu, \"p50\": %lu, \"p99\": %lu, \"max\": %lu}",
	       name, d.n, d.mean_ns, d.p50_ns, d.p99_ns, d.max_ns);
}

static void print_loads(const char *name, const struct agent_delays *delays)
{
	char key[64];

	for (enum agent_load load = 0; load < AGENT_N_LOADS; load++) {
		snprintf(key, sizeof(key), "%s-%s", name, agent_load_name(load));
		print_delays(key, delays[load]);
	}
}

static void print_all(const struct agent_model *m, const struct agent_spread *s)
{
	printf("{\"cpus\": %u, \"alone-kips\": %lu, \"busy-kips\": %lu, \"total-kips\": %lu",
	       m->cpus, m->alone_kips, m->busy_kips, m->total_kips);
	printf(", \"tick-ppm\": %lu, \"turn\": %lu", m->tick_ppm, m->turn_ns);
	print_delays("ticks", m->ticks);
	print_delays("steps", m->steps);
	print_loads("wake", m->wake);
	print_loads("ipi", m->ipi);
	print_loads("timer", m->timer);
	printf(", \"processes\": %u, \"spread-ppm\": %lu, \"late-spread-ppm\": %lu", s->processes,
	       s->spread_ppm, s->late_spread_ppm);
	printf(", \"gap\": %lu, \"migrations\": %lu}\n", s->gap_ns, s->migrations);
}

int main(int argc, char **argv)
{
	uint64_t phase_ms = argc > 1 ? strtoull(argv[1], NULL, 10) : PHASE_MS;
	uint64_t spread_ms = argc > 2 ? strtoull(argv[2], NULL, 10) : SPREAD_MS;
	struct agent_model model;
	struct agent_spread spread;
	struct error *err = agent_measure(phase_ms * NS_PER_MS, ALL_LOADS, &model);

	if (!err)
		err = agent_measure_spread(spread_ms * NS_PER_MS, &spread);
	if (err) {
		fprintf(stderr, "fidelity_guest: %s\n", error_message(err));
		error_free(err);
		return 1;
	}
	print_all(&model, &spread);
	return 0;
}
