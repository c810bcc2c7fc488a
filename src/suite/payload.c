// SPDX-License-Identifier: LGPL-2.1-or-later
#include "suite/payload.h"

#include <fcntl.h>
#include <ktstr/ktstr.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

/* ---- a start ---- */

static const char *name_of(const struct ktstr_program *program)
{
	return program->name && program->name[0] ? program->name : program->argv[0];
}

/* Mistakes of the author that would make a payload mean something else, or nothing. */
static void refuse_mistakes(struct ktstr_ctx *ctx, const struct ktstr_program *program)
{
	const char *mistake = NULL;

	if (!program->argv || !program->argv[0] || !program->argv[0][0])
		suite_ctx_end_with(ctx, KTSTR_REASON_SETUP, NULL, 0, "a payload without argv[0]");
	mistake = suite_metric_checks_mistake(program->checks);
	if (!mistake)
		mistake = suite_metric_hints_mistake(program->hints);
	for (const char *const *env = program->env; !mistake && env && *env; env++)
		if (!suite_payload_env_is_setting(*env))
			mistake = "it has a setting in .env that is not NAME=value";
	if (!mistake && ctx->payloads && ctx->payloads->all.n >= SUITE_LIMIT_PAYLOAD_COUNT)
		mistake = "this test has started too many payloads already";
	if (mistake)
		suite_ctx_end_with(ctx, KTSTR_REASON_SETUP, NULL, 0, "payload %s: %s",
				   program->argv[0], mistake);
}

/* *ret is 0 when this system has no cgroups and none was asked for. */
static struct error *open_cgroup_procs(struct ktstr_ctx *ctx, const char *name, int *ret)
{
	_cleanup_close_ int dir = -1, procs = -1;
	struct error *err = suite_ctx_open_cgroup(ctx, name, &dir);

	*ret = 0;
	if (err || dir < 0)
		return err;
	procs = openat(dir, "cgroup.procs", O_WRONLY | O_CLOEXEC);
	if (procs >= 0)
		*ret = fcntl(procs, F_DUPFD_CLOEXEC, 3);
	if (procs < 0 || *ret < 0)
		return base_error(BASE_IO, errno, "cgroup.procs of %s", name ? name : "the test");
	return NULL;
}

_Noreturn static void end_unstarted(struct ktstr_ctx *ctx, const struct ktstr_program *program,
				    struct error *err)
{
	_cleanup_strbuf_ struct strbuf why = STRBUF_INIT;

	if (error_errno(err) != ENOENT)
		suite_ctx_end_broken(
			ctx, error_wrap(err, "payload %s cannot be started", name_of(program)));
	error_free(err);
	suite_payload_missing_explain(program->argv[0], getenv("PATH"), &why);
	suite_ctx_end_with(ctx, KTSTR_REASON_FILES, NULL, 0, "payload %s cannot be started: %s",
			   name_of(program), strbuf_str(&why));
}

static struct ktstr_payload *payload_new(struct ktstr_ctx *ctx, const struct ktstr_program *program,
					 const struct suite_payload_env *env,
					 struct suite_payload_process *process)
{
	struct ktstr_payload *payload = xnew(struct ktstr_payload);

	payload->ctx = ctx;
	payload->process = process;
	payload->name = xstrndup(name_of(program), SUITE_LIMIT_PAYLOAD_NAME_BYTES);
	payload->pid = suite_payload_process_pid(process);
	snprintf(payload->pid_text, sizeof(payload->pid_text), "%d", (int)payload->pid);
	payload->output = program->output;
	payload->timeout_ms = program->timeout_ms;
	/* The declaration may be gone when the checks are judged. */
	for (size_t i = 0; program->checks[i].kind != KTSTR_CHECK_NONE; i++) {
		payload->checks[i] = program->checks[i];
		if (program->checks[i].metric)
			payload->checks[i].metric = xstrdup(program->checks[i].metric);
	}
	for (size_t i = 0; program->hints[i].metric; i++)
		vec_push(&payload->hints,
			 (struct exchange_hint){
				 .metric = xstrdup(program->hints[i].metric),
				 .unit = xstrdup(program->hints[i].unit ? program->hints[i].unit
									: ""),
				 .direction = program->hints[i].direction,
			 });
	if (!ready_marker_path_of(payload->pid,
				  suite_payload_env_find(env, READY_MARKER_OVERRIDE_ENV),
				  payload->ready_path, sizeof(payload->ready_path)))
		payload->ready_path[0] = '\0';
	return payload;
}

static void remember(struct ktstr_ctx *ctx, struct ktstr_payload *payload)
{
	if (!ctx->payloads) {
		ctx->payloads = xnew(struct suite_payload_set);
		ctx->end_payloads = suite_payload_end_all;
	}
	vec_push(&ctx->payloads->all, payload);
}

struct ktstr_payload *ktstr_start(struct ktstr_ctx *ctx, const struct ktstr_program *program)
{
	_cleanup_suite_payload_env_ struct suite_payload_env env = { 0 };
	struct suite_payload_process *process;
	struct ktstr_payload *payload;
	struct error *err;
	int procs;

	refuse_mistakes(ctx, program);
	err = open_cgroup_procs(ctx, program->cgroup, &procs);
	if (err)
		suite_ctx_end_broken(ctx, error_wrap(err, "payload %s", program->argv[0]));
	suite_payload_env_init(&env, environ, program->env);
	err = suite_payload_process_start(
		&(struct suite_payload_process_request){
			.argv = program->argv,
			.env = env.all.at,
			.cgroup_procs = procs,
			.capture_bytes = program->capture_bytes ? program->capture_bytes
								: SUITE_PAYLOAD_CAPTURE_BYTES,
			.timeout_ms = suite_ctx_scaled_ms(ctx, program->timeout_ms),
		},
		&process);
	if (procs)
		close(procs);
	if (err)
		end_unstarted(ctx, program, err);
	payload = payload_new(ctx, program, &env, process);
	remember(ctx, payload);
	suite_payload_report_started(payload, program->argv);
	return payload;
}

/* ---- an end ---- */

static void add_part(void *context, enum ktstr_reason reason, const char *text)
{
	struct ktstr_payload *payload = context;

	suite_report_partf(&payload->ctx->report, reason, "%s: %s", payload->name, text);
}

static void judge(struct ktstr_payload *payload)
{
	const struct suite_metric_meaning meaning = { payload->hints.at, payload->hints.n,
						      payload->ctx->virtual_clock };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (!payload->result->exit_known) {
		suite_report_partf(
			&payload->ctx->report, KTSTR_REASON_SETUP,
			"%s: its exit status is unknown: something else in the test's process "
			"waited for it",
			payload->name);
		return;
	}
	if (payload->result->timed_out) {
		strbuf_appendf(&text, "did not end within %u ms", payload->timeout_ms);
		if (payload->ctx->slowness > 1)
			strbuf_appendf(&text, " (%llu ms on this machine)",
				       (unsigned long long)suite_ctx_scaled_ms(
					       payload->ctx, payload->timeout_ms));
		strbuf_append(&text, " and was killed");
		suite_metrics_format_stderr(payload->result, &text);
		add_part(payload, KTSTR_REASON_PAYLOAD, strbuf_str(&text));
	}
	suite_metric_checks_judge(payload->checks, payload->result, &meaning, add_part, payload);
}

/* It has ended: the result is made, reported and judged once. */
static struct ktstr_metrics *finish(struct ktstr_payload *payload, bool cleaning)
{
	struct suite_payload_end *end = suite_payload_process_end(payload->process);
	struct ktstr_metrics *result = xnew(struct ktstr_metrics);

	*result = (struct ktstr_metrics){
		.exit_code = end->exit_code,
		.exit_known = end->known,
		.timed_out = end->timed_out,
		.by_cleanup = cleaning && end->killed,
		.killed = end->killed,
		.wall_ns = end->wall_ns,
		.out = end->out,
		.err = end->err,
	};
	end->out = end->err = (struct suite_capture){ 0 };
	suite_payload_process_free(take_ptr(payload->process));
	if (payload->output == KTSTR_OUTPUT_JSON)
		suite_metrics_extract(result);
	payload->result = result;
	suite_payload_report_ended(payload);
	suite_payload_report_output(payload);
	judge(payload);
	return result;
}

static bool declares_exit_code(const struct ktstr_payload *payload)
{
	for (size_t i = 0; payload->checks[i].kind != KTSTR_CHECK_NONE; i++)
		if (payload->checks[i].kind == KTSTR_CHECK_EXIT_CODE)
			return true;
	return false;
}

/* Every result counts: a failed payload that the test did not check is a failure. */
static void judge_unseen(struct ktstr_payload *payload)
{
	const struct ktstr_metrics *result = payload->result;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	if (!result->exit_known || result->exit_code == 0 || result->killed || result->timed_out ||
	    result->exit_asked || declares_exit_code(payload))
		return;
	suite_metrics_format_end(result, &text);
	strbuf_append(&text, ", and the test did not check it");
	suite_metrics_format_stderr(result, &text);
	add_part(payload, KTSTR_REASON_PAYLOAD, strbuf_str(&text));
}

static void payload_free(struct ktstr_payload *payload)
{
	for (size_t i = 0; payload->checks[i].kind != KTSTR_CHECK_NONE; i++)
		free((char *)payload->checks[i].metric);
	for (size_t i = 0; i < payload->hints.n; i++) {
		free(payload->hints.at[i].metric);
		free(payload->hints.at[i].unit);
	}
	vec_deinit(&payload->hints);
	if (payload->result)
		suite_metrics_deinit(payload->result);
	free(payload->result);
	free(payload->name);
	free(payload);
}

/* Kills it if it runs. The result is marked as ended by cleanup. */
static struct ktstr_metrics *end_by_cleanup(struct ktstr_payload *payload)
{
	if (payload->result)
		return payload->result;
	suite_payload_process_kill(payload->process);
	suite_payload_process_wait(payload->process, SUITE_PAYLOAD_WAIT_FOREVER);
	return finish(payload, true);
}

void suite_payload_end_all(struct ktstr_ctx *ctx)
{
	struct suite_payload_set *set = ctx->payloads;

	ctx->end_payloads = NULL;
	if (!set)
		return;
	/* All at once: one may trace another, whose end is seen only after the tracer's. */
	for (size_t i = 0; i < set->all.n; i++)
		if (set->all.at[i]->process)
			suite_payload_process_kill(set->all.at[i]->process);
	for (size_t i = 0; i < set->all.n; i++) {
		end_by_cleanup(set->all.at[i]);
		judge_unseen(set->all.at[i]);
		payload_free(set->all.at[i]);
	}
	vec_deinit(&set->all);
	free(take_ptr(ctx->payloads));
}

/* ---- what an author calls ---- */

struct ktstr_metrics *ktstr_wait(struct ktstr_payload *payload)
{
	if (payload->result)
		return payload->result;
	suite_payload_process_wait(payload->process, SUITE_PAYLOAD_WAIT_FOREVER);
	return finish(payload, false);
}

struct ktstr_metrics *ktstr_kill(struct ktstr_payload *payload)
{
	if (payload->result)
		return payload->result;
	suite_payload_process_kill(payload->process);
	return ktstr_wait(payload);
}

struct ktstr_metrics *ktstr_try_wait(struct ktstr_payload *payload)
{
	if (!payload->result && !suite_payload_process_wait(payload->process, 0))
		return NULL;
	return ktstr_wait(payload);
}

struct ktstr_metrics *ktstr_run_program(struct ktstr_ctx *ctx, const struct ktstr_program *program)
{
	return ktstr_wait(ktstr_start(ctx, program));
}

pid_t ktstr_pid(const struct ktstr_payload *payload)
{
	return payload->pid;
}

const char *ktstr_pid_str(const struct ktstr_payload *payload)
{
	return payload->pid_text;
}

/* Waiting for the file by which a payload says that it is ready. */

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
	struct ktstr_metrics *result = end_by_cleanup(payload);
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
		/* After the marker: a payload that writes it and dies is not ready. */
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
