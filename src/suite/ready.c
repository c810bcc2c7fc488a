// SPDX-License-Identifier: LGPL-2.1-or-later
/* Waiting for the file by which a payload says that it is ready. */
#include <ktstr/ktstr.h>

#include <unistd.h>

#include "base/clock.h"
#include "suite/payload.h"

_Noreturn static void end_early(struct ktstr_payload *payload, const struct ktstr_metrics *result,
				const char *legend)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	suite_metrics_format_end(result, &text);
	payload->result->exit_asked = true; /* and told below */
	if (legend && *legend)
		strbuf_appendf(&text, " (%s)", legend);
	suite_metrics_format_stderr(result, &text);
	suite_ctx_end_with(payload->ctx, KTSTR_REASON_PAYLOAD, NULL, 0,
			   "%s (pid %d) ended before it was ready: %s", payload->name,
			   (int)payload->pid, strbuf_str(&text));
}

/* Ended now, so that the message can say what it wrote. */
_Noreturn static void end_late(struct ktstr_payload *payload, unsigned int timeout_ms,
			       const char *legend)
{
	struct ktstr_metrics *result = suite_payload_end_by_cleanup(payload);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	/* It ended by itself in the last moment. */
	if (!result->by_cleanup)
		end_early(payload, result, legend);
	suite_metrics_format_stderr(result, &text);
	suite_ctx_end_with(
		payload->ctx, KTSTR_REASON_PAYLOAD, NULL, 0,
		"%s (pid %d) was not ready within %u ms (%llu ms on this machine): there is no %s%s",
		payload->name, (int)payload->pid, timeout_ms,
		(unsigned long long)suite_ctx_scaled_ms(payload->ctx, timeout_ms),
		payload->ready_path, strbuf_str(&text));
}

void ktstr_wait_ready_with(struct ktstr_payload *payload, unsigned int timeout_ms,
			   const char *legend)
{
	uint64_t deadline_ns = clock_monotonic_ns() +
			       suite_ctx_scaled_ms(payload->ctx, timeout_ms) * NS_PER_MS;

	if (!payload->ready_path[0])
		suite_ctx_end_with(payload->ctx, KTSTR_REASON_SETUP, NULL, 0,
				   "%s: the path in %s is too long", payload->name,
				   READY_MARKER_OVERRIDE_ENV);
	for (;;) {
		bool marked = access(payload->ready_path, F_OK) == 0;
		/* Looked at behind the marker: one that marks itself and dies is not ready. */
		struct ktstr_metrics *ended = ktstr_try_wait(payload);

		if (ended)
			end_early(payload, ended, legend);
		if (marked)
			return;
		if (clock_monotonic_ns() >= deadline_ns)
			end_late(payload, timeout_ms, legend);
		suite_payload_process_wait(payload->process, SUITE_PAYLOAD_READY_POLL_MS);
	}
}
