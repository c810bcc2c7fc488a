// SPDX-License-Identifier: LGPL-2.1-or-later
#include "report/form.h"

#include <string.h>

#include "base/clock.h"
#include "text/terminal.h"

#define SEPARATOR " | "
/* A name is not cut shorter than this to make room for another test. */
enum { SHORTEST_NAME = 16 };

static void live_test_deinit(struct report_live_test *test)
{
	free(test->name);
	free(test->stage);
}

void report_live_deinit(struct report_live *live)
{
	for (size_t i = 0; i < live->running.n; i++)
		live_test_deinit(&live->running.at[i]);
	vec_deinit(&live->running);
	strbuf_deinit(&live->shown);
}

static struct report_live_test *find(struct report_live *live, size_t index)
{
	for (size_t i = 0; i < live->running.n; i++) {
		if (live->running.at[i].index == index)
			return &live->running.at[i];
	}
	return NULL;
}

static char *escaped(const char *foreign)
{
	struct strbuf s = STRBUF_INIT;

	text_escape(&s, foreign);
	return strbuf_take(&s);
}

void report_live_start(struct report_live *live, size_t index, const char *name, uint64_t now_ns)
{
	struct report_live_test test = {
		.index = index,
		.name = escaped(name),
		.stage = xstrdup(""),
		.since_ns = now_ns,
	};

	if (now_ns > live->now_ns)
		live->now_ns = now_ns;
	report_live_stop(live, index);
	vec_push(&live->running, test);
}

void report_live_set_stage(struct report_live *live, size_t index, const char *stage)
{
	struct report_live_test *test = find(live, index);

	if (!test)
		return;
	free(test->stage);
	test->stage = escaped(stage);
}

void report_live_stop(struct report_live *live, size_t index)
{
	struct report_live_test *test = find(live, index);
	size_t at;

	if (!test)
		return;
	live_test_deinit(test);
	at = (size_t)(test - live->running.at);
	memmove(test, test + 1, (live->running.n - at - 1) * sizeof(*test));
	live->running.n--;
	if (live->running.n == 0)
		live->idle_ns = live->now_ns;
}

/* " work 12 s" */
static void format_state(const struct report_live *live, const struct report_live_test *test,
			 struct strbuf *into)
{
	/* A stage is a word; something longer must not push the names out. */
	size_t n = text_prefix(test->stage, SHORTEST_NAME);

	strbuf_append_char(into, ' ');
	if (n) {
		strbuf_append_bytes(into, test->stage, n);
		strbuf_append_char(into, ' ');
	}
	report_format_elapsed(into,
			      live->now_ns > test->since_ns ? live->now_ns - test->since_ns : 0);
}

static void append_cut(struct strbuf *into, const char *text, size_t columns)
{
	if (text_width(text) <= columns) {
		strbuf_append(into, text);
		return;
	}
	if (columns == 0)
		return;
	strbuf_append_bytes(into, text, text_prefix(text, columns - 1));
	strbuf_append(into, "…");
}

static size_t min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Columns the first k names take when none may have more than `most`. */
static size_t names_width(const struct report_live *live, size_t k, size_t most)
{
	size_t sum = 0;

	for (size_t i = 0; i < k; i++)
		sum += min_size(text_width(live->running.at[i].name), most);
	return sum;
}

/* Columns of everything but the names when the first k tests are shown. */
static size_t rest_width(const struct report_live *live, size_t k)
{
	size_t sum = 0;

	for (size_t i = 0; i < k; i++) {
		_cleanup_strbuf_ struct strbuf state = STRBUF_INIT;

		format_state(live, &live->running.at[i], &state);
		sum += text_width(strbuf_str(&state)) + (i ? strlen(SEPARATOR) : 0);
	}
	if (k < live->running.n) {
		_cleanup_free_ char *more = xasprintf(SEPARATOR "+%zu", live->running.n - k);

		sum += strlen(more);
	}
	return sum;
}

/* A long boot must not look like a hang; a clone starts before this is shown. */
static void format_idle(const struct report_live *live, struct strbuf *into)
{
	uint64_t idle_ns = live->idle_ns ? live->now_ns - live->idle_ns : 0;

	if (idle_ns < NS_PER_SEC)
		return;
	strbuf_append(into, " waiting for a guest ");
	report_format_elapsed(into, idle_ns);
	strbuf_append(into, " (the first one boots, the next are copies)");
}

void report_live_format(const struct report_live *live, size_t n_done, size_t n_tests,
			size_t columns, struct strbuf *into)
{
	_cleanup_strbuf_ struct strbuf line = STRBUF_INIT;
	size_t k = live->running.n, used, most;

	strbuf_appendf(&line, "[%zu/%zu]", n_done, n_tests);
	if (k == 0 && n_done < n_tests)
		format_idle(live, &line);
	used = line.n + 1;
	/* As many tests as have room for the beginning of their names, but one in any case. */
	while (k > 1 && used + rest_width(live, k) + names_width(live, k, SHORTEST_NAME) > columns)
		k--;
	if (k) {
		used += rest_width(live, k);
		most = columns;
		while (most > 1 && used + names_width(live, k, most) > columns)
			most--;
	}
	for (size_t i = 0; i < k; i++) {
		strbuf_append(&line, i ? SEPARATOR : " ");
		append_cut(&line, live->running.at[i].name, most);
		format_state(live, &live->running.at[i], &line);
	}
	if (k < live->running.n)
		strbuf_appendf(&line, SEPARATOR "+%zu", live->running.n - k);
	append_cut(into, strbuf_str(&line), columns);
}

void report_live_clear(struct report_live *live, struct strbuf *out)
{
	if (live->shown.n == 0)
		return;
	strbuf_append(out, "\r\033[J");
	strbuf_clear(&live->shown);
}

void report_live_draw(struct report_live *live, const char *line, struct strbuf *out)
{
	if (strcmp(strbuf_str(&live->shown), line) == 0)
		return;
	report_live_clear(live, out);
	strbuf_append(out, line);
	strbuf_append_char(out, '\r');
	strbuf_append(&live->shown, line);
	live->drawn_ns = live->now_ns;
}

bool report_live_is_due(struct report_live *live, uint64_t now_ns)
{
	if (now_ns > live->now_ns)
		live->now_ns = now_ns;
	if (live->running.n == 0 && live->idle_ns == 0)
		live->idle_ns = live->now_ns;
	return live->shown.n == 0 ||
	       live->now_ns - live->drawn_ns >= REPORT_LIVE_INTERVAL_MS * NS_PER_MS;
}
