// SPDX-License-Identifier: GPL-2.0-or-later
#include "agent/agent.h"

#include "base/alloc.h"
#include "base/clock.h"

void agent_output_deinit(struct agent_output *out)
{
	strbuf_deinit(&out->pending);
}

size_t agent_output_unsent(const struct agent_output *out)
{
	return out->pending.n - out->written;
}

void agent_output_send(struct agent_output *out, enum wire_type type, uint32_t channel,
		       const void *payload, size_t n)
{
	if (out->written == out->pending.n) {
		strbuf_clear(&out->pending);
		out->written = 0;
	}
	if (n > WIRE_PAYLOAD_MAX)
		n = WIRE_PAYLOAD_MAX;
	/* Cannot fail: the length is the only thing that is refused. */
	error_free(wire_send_append(&out->sender, type, channel, clock_monotonic_ns(), payload, n,
				    &out->pending));
}

void agent_output_send_buf(struct agent_output *out, enum wire_type type, uint32_t channel,
			   const struct strbuf *payload)
{
	agent_output_send(out, type, channel, payload->at, payload->n);
}

void agent_output_log(struct agent_output *out, uint32_t channel, const char *fmt, ...)
{
	_cleanup_free_ char *text = NULL;
	va_list args;

	va_start(args, fmt);
	text = xvasprintf(fmt, args);
	va_end(args);
	agent_output_send(out, WIRE_LOG, channel, text, strlen(text));
}

void agent_output_fail(struct agent_output *out, uint32_t channel, struct error *err)
{
	struct wire_failed failed = { error_tag(err), error_message(err) };
	_cleanup_strbuf_ struct strbuf payload = STRBUF_INIT;

	wire_failed_encode(&failed, &payload);
	agent_output_send_buf(out, WIRE_FAILED, channel, &payload);
	error_free(err);
}

struct error *agent_output_flush(struct agent_output *out)
{
	while (out->written < out->pending.n) {
		const char *at = out->pending.at + out->written;
		size_t n = out->pending.n - out->written;
		ssize_t done;

		if (out->sink) {
			out->sink(at, n);
			out->written += n;
			continue;
		}
		done = write(out->fd, at, n);
		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0 && errno == EAGAIN)
			break;
		if (done < 0)
			return agent_error(AGENT_SYSTEM, errno, "writing to the host");
		out->written += (size_t)done;
	}
	/* What was sent is given up before it outweighs what was not. */
	if (out->written > out->pending.n / 2 && out->written < out->pending.n) {
		memmove(out->pending.at, out->pending.at + out->written, agent_output_unsent(out));
		out->pending.n -= out->written;
		out->written = 0;
	}
	return NULL;
}

struct error *agent_output_drain(struct agent_output *out, int limit_ms)
{
	uint64_t until = clock_monotonic_ns() + (uint64_t)limit_ms * NS_PER_MS;
	struct error *err;

	while (!(err = agent_output_flush(out)) && agent_output_unsent(out)) {
		struct pollfd pollfd = { .fd = out->fd, .events = POLLOUT };

		if (clock_monotonic_ns() >= until)
			return agent_error(AGENT_SYSTEM, ETIMEDOUT, "%zu bytes were not sent",
					   agent_output_unsent(out));
		/* In slices: a port whose host is away says POLLHUP at once, all the time. */
		if (poll(&pollfd, 1, 10) > 0 && !(pollfd.revents & POLLOUT))
			usleep(10000);
	}
	return err;
}
