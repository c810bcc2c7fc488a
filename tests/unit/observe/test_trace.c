// SPDX-License-Identifier: GPL-2.0-or-later
/* Traces written by hand, byte for byte; tests/vm has those of real guests. */
#include "observe/observe.h"

#include "unit.h"
#include "wire/observe.h"

#define HEAD                                                                           \
	"{\"ktstr_trace\":1,\"kernel\":\"6.18.0\",\"blind\":\"exec (x: y)\","          \
	"\"cpus\":[4096,18446744073709486080],\"hooks\":["                             \
	"{\"kind\":\"switch\",\"function\":\"f\",\"values\":["                         \
	"{\"name\":\"prev_pid\",\"width\":4},{\"name\":\"prev_comm\",\"width\":16}]}," \
	"{\"kind\":\"wake\",\"function\":\"g\",\"values\":[]}]}\n"

struct switch_event {
	struct wire_observe_event head;
	uint64_t prev_pid;
	char prev_comm[16];
};

static const struct switch_event plain = {
	.head = { .sequence = 7,
		  .time_ns = 1000,
		  .early_ns = 20,
		  .bytes = sizeof(plain),
		  .gs_base = UINT64_C(18446744073709486080) },
	/* Four bytes count; the plugin leaves the others 0, another program might not. */
	.prev_pid = UINT64_C(0x100000029),
	.prev_comm = "0123456789abcdef",
};

/* NULL: there is none, or it could not be read. */
static const struct observe_value *find(const struct observe_event *event, const char *name)
{
	for (size_t i = 0; i < event->n; i++)
		if (event->values[i].known && strcmp(event->values[i].name, name) == 0)
			return &event->values[i];
	return NULL;
}

static void append(struct strbuf *into, const void *bytes, size_t n)
{
	strbuf_append_bytes(into, bytes, n);
}

static struct observe_trace *open_trace(const struct strbuf *text)
{
	struct observe_trace *trace = NULL;

	assert_success(
		observe_trace_open((struct bytes){ (const uint8_t *)text->at, text->n }, &trace));
	return trace;
}

static void events_have_the_values_that_the_head_names(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_observe_trace_ struct observe_trace *trace = NULL;
	struct wire_observe_event wake = {
		.sequence = 8, .hook = 1, .bytes = sizeof(wake), .gs_base = 5
	};
	struct observe_event event;
	bool got;

	strbuf_append(&text, HEAD);
	append(&text, &plain, sizeof(plain));
	append(&text, &wake, sizeof(wake));
	trace = open_trace(&text);
	assert_string_equal(observe_trace_blind(trace), "exec (x: y)");

	assert_success(observe_trace_next(trace, &event, &got));
	assert_true(got);
	assert_int_equal(event.sequence, 7);
	assert_int_equal(event.time_ns, 1000);
	assert_int_equal(event.early_ns, 20);
	assert_true(event.has_cpu);
	assert_int_equal(event.cpu, 1);
	assert_string_equal(event.kind, "switch");
	assert_int_equal(event.n, 2);
	assert_int_equal(find(&event, "prev_pid")->number, 0x29);
	assert_string_equal(find(&event, "prev_comm")->text, "0123456789abcdef");
	assert_null(find(&event, "next_pid"));

	assert_success(observe_trace_next(trace, &event, &got));
	assert_true(got);
	assert_string_equal(event.kind, "wake");
	/* No CPU has that address: not CPU 0. */
	assert_false(event.has_cpu);
	assert_success(observe_trace_next(trace, &event, &got));
	assert_false(got);
}

static void a_value_that_could_not_be_read_is_not_zero(void **state UNUSED)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_observe_trace_ struct observe_trace *trace = NULL;
	struct switch_event one = plain;
	struct observe_event event;
	bool got;

	one.head.unreadable = 1;
	strbuf_append(&text, HEAD);
	append(&text, &one, sizeof(one));
	trace = open_trace(&text);
	assert_success(observe_trace_next(trace, &event, &got));
	assert_true(got);
	assert_false(event.values[0].known);
	assert_null(find(&event, "prev_pid"));
	assert_non_null(find(&event, "prev_comm"));
}

static void assert_damaged(const struct switch_event *event, size_t n, const char *says)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	_cleanup_observe_trace_ struct observe_trace *trace = NULL;
	_cleanup_error_ struct error *err = NULL;
	struct observe_event ret;
	bool got;

	strbuf_append(&text, HEAD);
	append(&text, event, n);
	trace = open_trace(&text);
	err = observe_trace_next(trace, &ret, &got);
	assert_non_null(err);
	assert_string_equal(error_tag(err), "not-a-trace");
	assert_contains(error_message(err), says);
	assert_false(got);
}

static void damage_is_told(void **state UNUSED)
{
	struct switch_event event = plain;

	assert_damaged(&event, sizeof(event.head) - 1, "ends in the middle of an event");
	assert_damaged(&event, sizeof(event) - 1, "event 7 of the trace is damaged");
	event.head.hook = 2;
	assert_damaged(&event, sizeof(event), "damaged");
	event = plain;
	event.head.bytes = sizeof(event.head) - 1;
	assert_damaged(&event, sizeof(event), "damaged");
	event = plain;
	event.head.bytes = sizeof(event) - 8;
	assert_damaged(&event, sizeof(event), "event 7 of the trace is short");
}

static void what_is_not_a_trace_is_refused(void **state UNUSED)
{
	static const char *const texts[] = {
		"",
		"\n",
		"{",
		"[]\n",
		"{}\n",
		"{\"ktstr_trace\":2}\n",
		/* A text of 17 bytes would not fit. */
		"{\"ktstr_trace\":1,\"kernel\":\"x\",\"cpus\":[],\"hooks\":[{\"kind\":\"k\","
		"\"function\":\"f\",\"values\":[{\"name\":\"n\",\"width\":17}]}]}\n",
	};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct bytes bytes = { (const uint8_t *)texts[i], strlen(texts[i]) };
		struct observe_trace *trace = NULL;

		assert_error_tag(observe_trace_open(bytes, &trace), "not-a-trace");
		assert_null(trace);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_have_the_values_that_the_head_names),
		cmocka_unit_test(a_value_that_could_not_be_read_is_not_zero),
		cmocka_unit_test(damage_is_told),
		cmocka_unit_test(what_is_not_a_trace_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
