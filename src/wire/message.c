// SPDX-License-Identifier: LGPL-2.1-or-later
#include "wire/message.h"
#include "base/alloc.h"

#define U16(name)    wire_append_uint(out, message->name, 2);
#define U32(name)    wire_append_uint(out, message->name, 4);
#define U64(name)    wire_append_uint(out, message->name, 8);
#define RAW(name, n) strbuf_append_bytes(out, message->name, n);
#define TEXT(name)   wire_append_text(out, message->name);
#define WIRE_MESSAGE(name, fields)                                                       \
	void wire_##name##_encode(const struct wire_##name *message, struct strbuf *out) \
	{                                                                                \
		fields                                                                   \
	}
#include "wire/messages.def"
#undef WIRE_MESSAGE
#undef U16
#undef U32
#undef U64
#undef RAW
#undef TEXT

static void take_raw(struct cursor *c, uint8_t *into, size_t n)
{
	const uint8_t *at = cursor_take(c, n);

	if (at)
		memcpy(into, at, n);
}

static struct error *check_end(const struct cursor *c, const char *name)
{
	if (c->failed)
		return wire_error(WIRE_MALFORMED, 0, "%s: cut short at %zu bytes", name, c->in.n);
	if (cursor_left(c))
		return wire_error(WIRE_MALFORMED, 0, "%s: %zu bytes too many", name,
				  cursor_left(c));
	return NULL;
}

#define U16(name)    message.name = cursor_u16(&c);
#define U32(name)    message.name = cursor_u32(&c);
#define U64(name)    message.name = cursor_u64(&c);
#define RAW(name, n) take_raw(&c, message.name, n);
#define TEXT(name)   message.name = cursor_string(&c);
#define WIRE_MESSAGE(name, fields)                                                        \
	struct error *wire_##name##_decode(struct bytes payload, struct wire_##name *ret) \
	{                                                                                 \
		struct wire_##name message = { 0 };                                       \
		struct cursor c = cursor_over(payload);                                   \
		struct error *err;                                                        \
                                                                                          \
		fields;                                                                   \
		err = check_end(&c, #name);                                               \
		if (!err)                                                                 \
			*ret = message;                                                   \
		return err;                                                               \
	}
#include "wire/messages.def"

static size_t count(const char *const *vector)
{
	size_t n = 0;

	while (vector && vector[n])
		n++;
	return n;
}

void wire_run_encode(const struct wire_run *run, struct strbuf *out)
{
	size_t n_argv = count(run->argv), n_env = count(run->env);

	wire_append_uint(out, run->flags, 4);
	wire_append_uint(out, run->cols, 2);
	wire_append_uint(out, run->rows, 2);
	wire_append_uint(out, n_argv, 4);
	wire_append_uint(out, n_env, 4);
	wire_append_text(out, run->cwd);
	wire_append_text(out, run->cgroup);
	for (size_t i = 0; i < n_argv; i++)
		wire_append_text(out, run->argv[i]);
	for (size_t i = 0; i < n_env; i++)
		wire_append_text(out, run->env[i]);
}

static struct error *take_vector(struct cursor *c, uint32_t n, const char *what,
				 const char *const **ret)
{
	const char **vector;
	void *memory;
	struct error *err;

	if (n > WIRE_ARGUMENTS_MAX)
		return wire_error(WIRE_MALFORMED, 0, "run: %s of %u, at most %d are allowed", what,
				  n, WIRE_ARGUMENTS_MAX);
	err = alloc_checked((uint64_t)n + 1, sizeof(*vector),
			    (WIRE_ARGUMENTS_MAX + 1) * sizeof(*vector), what, &memory);
	if (err)
		return err;
	vector = memory;
	for (uint32_t i = 0; i < n; i++)
		vector[i] = cursor_string(c);
	*ret = vector;
	return NULL;
}

struct error *wire_run_decode(struct bytes payload, struct wire_run *ret)
{
	__attribute__((cleanup(wire_run_deinit))) struct wire_run run = { 0 };
	struct cursor c = cursor_over(payload);
	uint32_t n_argv, n_env;
	struct error *err;

	run.flags = cursor_u32(&c);
	run.cols = cursor_u16(&c);
	run.rows = cursor_u16(&c);
	n_argv = cursor_u32(&c);
	n_env = cursor_u32(&c);
	run.cwd = cursor_string(&c);
	run.cgroup = cursor_string(&c);
	if (c.failed)
		return wire_error(WIRE_MALFORMED, 0, "run: cut short at %zu bytes", payload.n);
	if (run.flags & ~(uint32_t)WIRE_RUN_FLAGS)
		return wire_error(WIRE_MALFORMED, 0, "run: unknown flags 0x%x", run.flags);
	if (n_argv == 0)
		return wire_error(WIRE_MALFORMED, 0, "run: no argument at all");
	err = take_vector(&c, n_argv, "argv", &run.argv);
	if (!err)
		err = take_vector(&c, n_env, "env", &run.env);
	if (err)
		return err;
	if (c.failed || cursor_left(&c))
		return wire_error(WIRE_MALFORMED, 0, "run: %u arguments and %u variables %s",
				  n_argv, n_env,
				  c.failed ? "are not there" : "are followed by more");
	run.n_argv = n_argv;
	run.n_env = n_env;
	*ret = run;
	run.argv = run.env = NULL;
	return NULL;
}

void wire_run_deinit(struct wire_run *run)
{
	free((void *)(uintptr_t)run->argv);
	free((void *)(uintptr_t)run->env);
	run->argv = run->env = NULL;
}
