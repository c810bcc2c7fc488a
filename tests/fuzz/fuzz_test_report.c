// SPDX-License-Identifier: GPL-2.0-or-later
/* covers: src/harness/test_report.c src/exchange/report.c */
/*
 * Any bytes as the report of a test: whatever they are cut into says the same, what is taken keeps
 * its bounds, and a report that has no end is never a pass.
 */
#include "fuzz.h"
#include "fuzz_json.h"
#include "harness/judge.h"
#include "harness/limits.h"
#include "harness/test_report.h"

static char left[] = "left", right[] = "right", spin[] = "spin", name[] = "fair";
static char *scheduler_argv[] = { name, NULL };
static struct exchange_declared_cgroup cgroups[] = {
	{ .name = left, .work = spin, .workers = 2 },
	{ .name = right, .work = spin, .workers = 1 },
};

/* Everything that can be asked for. */
static const struct exchange_declared_test test = {
	.name = name,
	.scheduler = { .argv = { .at = scheduler_argv, .n = 1 } },
	.cgroups = { .at = cgroups, .n = ARRAY_SIZE(cgroups) },
	.checks = { .isolation = KTSTR_REQUIRED,
		    .max_spread_pct = KTSTR_AT_MOST(15),
		    .max_gap_ms = KTSTR_AT_MOST(100) },
};

static struct error *take(struct harness_test_report *report, const uint8_t *data, size_t n,
			  size_t piece)
{
	struct error *err = NULL;

	for (size_t at = 0; !err && at < n; at += piece)
		err = harness_test_report_take(report, data + at, n - at < piece ? n - at : piece);
	return err ? err : harness_test_report_finish(report);
}

static bool same_text(const char *a, const char *b)
{
	return !a == !b && (!a || strcmp(a, b) == 0);
}

static void check_same(const struct harness_test_report *a, const struct harness_test_report *b)
{
	FUZZ_MUST(a->begun == b->begun && a->ended == b->ended && a->stage == b->stage);
	FUZZ_MUST(a->has_stage == b->has_stage && a->lines_ == b->lines_);
	FUZZ_MUST(a->parts.n == b->parts.n && a->notes.n == b->notes.n);
	FUZZ_MUST(a->payloads.n == b->payloads.n && a->workers.n == b->workers.n);
	FUZZ_MUST(a->cgroups.n == b->cgroups.n && a->texts.n == b->texts.n);
	FUZZ_MUST(same_text(a->test, b->test) && same_text(a->scheduler.end, b->scheduler.end));
	for (size_t i = 0; i < a->texts.n; i++)
		FUZZ_MUST(a->texts.at[i].text.n == b->texts.at[i].text.n);
}

static void check_parts(const struct harness_test_report *r)
{
	FUZZ_MUST(r->parts.n <= HARNESS_LIMIT_REPORT_PARTS &&
		  r->notes.n <= HARNESS_LIMIT_REPORT_NOTES);
	for (size_t i = 0; i < r->parts.n; i++) {
		FUZZ_MUST(r->parts.at[i].text && r->parts.at[i].line >= 0);
		FUZZ_MUST(harness_reason_allowed_from_guest(r->parts.at[i].reason));
	}
	for (size_t i = 0; i < r->notes.n; i++)
		FUZZ_MUST(r->notes.at[i]);
}

static void check_payloads(const struct harness_test_report *r)
{
	FUZZ_MUST(r->payloads.n <= HARNESS_LIMIT_REPORT_PAYLOADS);
	for (size_t i = 0; i < r->payloads.n; i++) {
		const struct exchange_payload *p = &r->payloads.at[i];

		FUZZ_MUST(*p->name && p->exit_code <= 255 &&
			  (p->exit_code >= -64 || p->exit_code == INT32_MIN));
		FUZZ_MUST(p->ended || p->metrics.n == 0);
		for (size_t j = 0; j < p->metrics.n; j++)
			FUZZ_MUST(p->metrics.at[j].name && *p->metrics.at[j].number);
	}
}

static void check_texts(const struct harness_test_report *r)
{
	FUZZ_MUST(r->texts.n <= HARNESS_LIMIT_REPORT_TEXTS);
	for (size_t i = 0; i < r->texts.n; i++) {
		const char *text_name = r->texts.at[i].name;

		FUZZ_MUST(*text_name && *text_name != '.' && !strchr(text_name, '/'));
		FUZZ_MUST(strlen(text_name) <= EXCHANGE_LIMIT_FILE_NAME);
		FUZZ_MUST(r->texts.at[i].text.n <= HARNESS_LIMIT_REPORT_TEXT_BYTES);
		for (size_t j = 0; j < i; j++)
			FUZZ_MUST(strcmp(text_name, r->texts.at[j].name) != 0);
	}
}

static void check_report(const struct harness_test_report *r)
{
	check_parts(r);
	check_payloads(r);
	check_texts(r);
	FUZZ_MUST(r->begun == (r->test != NULL));
	FUZZ_MUST(r->begun || (!r->ended && !r->has_stage && r->parts.n == 0));
	FUZZ_MUST(r->workers.n <= HARNESS_LIMIT_REPORT_WORKERS &&
		  r->cgroups.n <= HARNESS_LIMIT_REPORT_CGROUPS);
	for (size_t i = 0; i < r->workers.n; i++)
		FUZZ_MUST(*r->workers.at[i].cgroup && *r->workers.at[i].kind &&
			  *r->workers.at[i].end);
	FUZZ_MUST(!r->scheduler.attached || (r->scheduler.started && r->scheduler.ops));
	FUZZ_MUST(!r->scheduler.ended || r->scheduler.end);
}

static void check_verdict(const struct harness_test_report *r, struct error *err)
{
	_cleanup_result_outcome_ struct result_outcome outcome = { 0 };
	struct harness_guest_run run = {
		.test = &test,
		.report = *r,
		.how = err ? HARNESS_RUN_REPORT_ERROR : HARNESS_RUN_COMPLETED,
		.error = err,
		.has_exit = true,
		.exit = { .how = WIRE_END_EXITED },
		.disturbance = { .has = true, .wall_ns = 1, .vcpus = 3 },
	};

	harness_judge(&run, &outcome);
	FUZZ_MUST(outcome.why && outcome.parts.n >= r->parts.n);
	if (outcome.verdict == KTSTR_PASS)
		FUZZ_MUST(!err && r->ended && r->parts.n == 0 && r->workers.n >= 3 &&
			  r->scheduler.ended && strcmp(r->test, name) == 0);
}

/* Lines are changed one at a time, and mostly stay JSON. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t limit, unsigned int seed)
{
	uint8_t line[FUZZ_JSON_BYTES];
	size_t lines = 0, start = 0, end, changed;

	for (size_t i = 0; i < n; i++)
		lines += data[i] == '\n';
	if (lines < 2 || seed % 8 == 0)
		return LLVMFuzzerMutate ? LLVMFuzzerMutate(data, n, limit) : n;
	for (size_t skip = seed / 8 % lines; skip; start++)
		skip -= data[start] == '\n';
	end = (size_t)((uint8_t *)memchr(data + start, '\n', n - start) - data);
	if (end == start || end - start > sizeof(line) / 2)
		return n;
	memcpy(line, data + start, end - start);
	changed = sizeof(line) < limit - n + (end - start) ? sizeof(line)
							   : limit - n + (end - start);
	changed = fuzz_mutate_json(line, end - start, changed);
	memmove(data + start + changed, data + end, n - end);
	memcpy(data + start, line, changed);
	return n - (end - start) + changed;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	_cleanup_harness_test_report_ struct harness_test_report whole = { 0 }, pieces = { 0 };
	struct error *err = take(&whole, data, n, n ? n : 1);
	struct error *again = take(&pieces, data, n, n ? 1 + data[n / 2] % 61 : 1);

	if (whole.begun)
		fuzz_mark_deep();
	FUZZ_MUST(!err == !again);
	FUZZ_MUST(!err || error_kind_of(err) == error_kind_of(again));
	FUZZ_MUST(!err || error_is(err, &base_error_domain, BASE_PARSE) ||
		  error_is(err, &base_error_domain, BASE_LIMIT));
	check_same(&whole, &pieces);
	check_report(&whole);
	check_verdict(&whole, err);
	error_free(err);
	error_free(again);
	return 0;
}
