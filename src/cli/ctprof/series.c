// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/ctprof/cmd_capture.h"

#include "base/clock.h"

static struct error *take_one(struct series *series)
{
	struct cost_clock since = cost_clock_read();
	struct ctprof_snapshot_frame_size size;
	_cleanup_ctprof_snapshot_ struct ctprof_snapshot snapshot = { 0 };
	struct cost cost = { 0 };
	struct error *err;

	series->screen->began_ns = clock_monotonic_ns();
	err = series->take(series->options, &snapshot);
	cli_screen_clear(series->screen);
	if (err)
		return err;
	/* Between taking and writing the user may have changed their mind; later they wait. */
	err = cancel_error(series->options->cancel, "the capture");
	if (!err)
		err = ctprof_snapshot_output_add(series->output, &snapshot, &size);
	if (err)
		return err;
	cost_add(&cost, &since, &snapshot, &size);
	cost_add(&series->cost, &since, &snapshot, &size);
	series->each(series->arg, &snapshot, &cost);
	return NULL;
}

struct error *series_run(struct series *series)
{
	const struct cancel *cancel = series->options->cancel;
	uint64_t start_ns = clock_monotonic_ns(), slot = 0;

	for (uint64_t i = 0; i < series->count; i++) {
		struct error *err;

		if (i) {
			uint64_t now_ns = clock_monotonic_ns();
			uint64_t next_ns = interval_next(start_ns, series->interval_ns, &slot,
							 now_ns, &series->missed);

			if (!cancel_sleep(cancel, next_ns - now_ns))
				return cancel_error(cancel, "the series");
		}
		err = take_one(series);
		if (err)
			return err;
	}
	return NULL;
}
