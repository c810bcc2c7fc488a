// SPDX-License-Identifier: GPL-2.0-or-later
#include "build_stack.h"
#include "dump/dump.h"
#include "json/doc.h"

#define SLEEPER                \
	"42 sleeper\n"         \
	"  inner+0x10/0x80\n"  \
	"  middle+0x20/0x80\n" \
	"  outer+0x30/0x80\n"  \
	"  entry+0x40/0x80\n"
#define RUNNER        \
	"43 runner\n" \
	"  unavailable: it runs on CPU 1, whose registers are unknown\n"

static struct error *show(struct build_stack *s, const struct dump_request *request,
			  struct strbuf *text)
{
	struct dump_sink sink = dump_sink_to_text(text, 1000);

	return dump_stack(s->kmem, request, &sink);
}

static void one_task_is_shown_by_its_number(void **state)
{
	struct build_stack *s = *state;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	assert_success(show(s, &(struct dump_request){ .argument = "42" }, &text));
	assert_string_equal(strbuf_str(&text), SLEEPER);
}

static void tasks_are_shown_by_their_name(void **state)
{
	struct build_stack *s = *state;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT, all = STRBUF_INIT;

	assert_success(show(s, &(struct dump_request){ .argument = "sleeper" }, &text));
	assert_string_equal(strbuf_str(&text), SLEEPER);
	/* Both have it now. */
	build_put(&s->k.memory, OTHER_TASK_AT + T_COMM, "sleeper", 8);
	kmem_space_forget(&s->kmem->space);
	strbuf_clear(&text);
	assert_success(show(s, &(struct dump_request){ .argument = "sleeper" }, &text));
	assert_contains(strbuf_str(&text), SLEEPER "43 sleeper\n");
	assert_null(strstr(strbuf_str(&text), "swapper"));
	/* As long as a name can be, and longer than that. */
	build_put(&s->k.memory, OTHER_TASK_AT + T_COMM, "a_name_of_fifte", 16);
	kmem_space_forget(&s->kmem->space);
	strbuf_clear(&text);
	assert_success(show(s, &(struct dump_request){ .argument = "a_name_of_fifteen" }, &text));
	assert_contains(strbuf_str(&text), "43 a_name_of_fifte\n");
	strbuf_clear(&text);
	assert_success(show(s, &(struct dump_request){ .argument = "all" }, &text));
	assert_success(show(s, &(struct dump_request){ 0 }, &all));
	assert_string_equal(strbuf_str(&text), strbuf_str(&all));
}

static void stacks_of_all_tasks_include_the_idle_tasks(void **state)
{
	struct build_stack *s = *state;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	const char *at;

	assert_success(show(s, &(struct dump_request){ 0 }, &text));
	assert_contains(strbuf_str(&text), SLEEPER RUNNER);
	/* Two CPUs are online. */
	at = strstr(strbuf_str(&text), "0 swapper/0\n");
	assert_non_null(at);
	at = strstr(at + 1, "0 swapper/0\n");
	assert_non_null(at);
	assert_null(strstr(at + 1, "0 swapper/0\n"));
	strbuf_clear(&text);
	assert_success(show(s, &(struct dump_request){ .argument = "0" }, &text));
	assert_null(strstr(strbuf_str(&text), "sleeper"));
	assert_contains(strbuf_str(&text), "0 swapper/0\n  inner");
}

static void entries_are_limited_and_counted(void **state)
{
	struct build_stack *s = *state;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	assert_success(show(s, &(struct dump_request){ .max_entries = 3 }, &text));
	assert_contains(strbuf_str(&text), SLEEPER "stacks: shown 3 of 4\n");
}

static void numbers_without_a_task_are_errors(void **state)
{
	static const char *const bad[] = { "", "99999999999" };
	static const char *const absent[] = { "44", "-1", "1x", "sleepe", "sleepers" };
	struct build_stack *s = *state;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	for (size_t i = 0; i < ARRAY_SIZE(absent); i++)
		assert_error_tag(show(s, &(struct dump_request){ .argument = absent[i] }, &text),
				 "absent");
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		assert_error_tag(show(s, &(struct dump_request){ .argument = bad[i] }, &text),
				 "parse");
}

static void guessed_frames_are_marked_with_the_reason(void **state)
{
	struct build_stack *s = *state;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	build_stack_word(s, CHAIN_AT + FRAME_BYTES + 0x20, s->k.image + IN_CODE_ODD + 0x10);
	assert_success(show(s, &(struct dump_request){ .argument = "42" }, &text));
	assert_contains(strbuf_str(&text), "42 sleeper\n"
					   "  inner+0x10/0x80\n"
					   "  odd+0x10/0x80\n"
					   "  ? outer+0x30/0x80\n"
					   "  ? entry+0x40/0x80\n"
					   "  incomplete: the kernel cannot be unwound at 0x");
}

static void task_on_a_cpu_says_on_which(void **state)
{
	struct build_stack *s = *state;
	struct physmap_registers cpus[2] = { { 0 }, { .user = true } };
	struct dump_request request = { .argument = "43", .registers = cpus, .n_registers = 2 };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	assert_success(show(s, &request, &text));
	assert_string_equal(strbuf_str(&text), "43 runner\n  on CPU 1, outside the kernel\n");
}

static void json_has_every_frame(void **state)
{
	struct build_stack *s = *state;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct json_writer writer = json_writer_to(&text, JSON_COMPACT);
	struct dump_sink sink = dump_sink_to_json(&writer);
	_cleanup_json_doc_ struct json_doc *doc = NULL;

	assert_success(
		dump_one(dump_view_find("stack"), s->kmem, &(struct dump_request){ 0 }, &sink));
	assert_success(json_doc_parse(text.at, text.n, "stacks", &doc));
	assert_contains(strbuf_str(&text), "{\"pid\":42,\"comm\":\"sleeper\",\"state\":\"asleep\","
					   "\"frames\":[{\"ip\":\"0xffffffff81000510\"");
	assert_contains(strbuf_str(&text), "\"symbol\":\"inner\",\"offset\":16,\"size\":128,"
					   "\"reliable\":true}");
	assert_contains(strbuf_str(&text), "\"idle_of_cpu\":1");
	assert_contains(strbuf_str(&text),
			"\"unavailable\":\"it runs on CPU 1, whose registers are unknown\"");
	assert_contains(strbuf_str(&text), "\"shown\":4,\"total\":4}");
}

/* Every process points to the threads of the first: it ends, and says that it is not whole. */
static void lists_through_each_other_end(void **state)
{
	struct build_stack *s = *state;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	build_put_u64(&s->k.memory, TASK_AT + T_THREAD_NODE, s->task + T_THREAD_NODE);
	kmem_space_forget(&s->kmem->space);
	assert_success(show(s, &(struct dump_request){ 0 }, &text));
	assert_contains(strbuf_str(&text), "a list of tasks is incomplete: ");
	assert_contains(strbuf_str(&text), RUNNER);
}

static void tasks_that_cannot_be_read_are_counted(void **state)
{
	struct build_stack *s = *state;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	build_put_u64(&s->k.memory, PER_CPU_AT + 0x40 + RQ_IDLE_AT, 0);
	build_put_u64(&s->k.memory, TASK_AT + T_SIGNAL, UINT64_C(0xffffdead00000000));
	kmem_space_forget(&s->kmem->space);
	assert_success(show(s, &(struct dump_request){ 0 }, &text));
	assert_contains(strbuf_str(&text), "a list of tasks is incomplete: ");
	assert_error_tag(show(s, &(struct dump_request){ .argument = "42" }, &text),
			 "guest-memory");
}

static void a_task_that_has_begun_to_run_is_not_shown_where_it_slept(void **state)
{
	struct build_stack *s = *state;
	struct physmap_registers cpus[2] = { { .user = true }, { .user = true } };
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	const uint32_t yes = 1;

	build_put(&s->k.memory, TASK_AT + T_ON_CPU, &yes, 4);
	kmem_space_forget(&s->kmem->space);
	assert_success(show(s, &(struct dump_request){ .argument = "42" }, &text));
	assert_string_equal(
		strbuf_str(&text),
		"42 sleeper\n  unavailable: it runs on a CPU whose registers are unknown\n");
	/* A guest that stands still is about to leave it. */
	strbuf_clear(&text);
	assert_success(show(
		s, &(struct dump_request){ .argument = "42", .registers = cpus, .n_registers = 2 },
		&text));
	assert_string_equal(strbuf_str(&text), SLEEPER);
}

static void a_task_that_has_ended_has_no_stack(void **state)
{
	struct build_stack *s = *state;
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

	build_put_u64(&s->k.memory, TASK_AT + T_STACK, 0);
	kmem_space_forget(&s->kmem->space);
	assert_success(show(s, &(struct dump_request){ .argument = "42" }, &text));
	assert_string_equal(strbuf_str(&text),
			    "42 sleeper\n  unavailable: it has ended, its stack is freed\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		stack_test(one_task_is_shown_by_its_number),
		stack_test(tasks_are_shown_by_their_name),
		stack_test(stacks_of_all_tasks_include_the_idle_tasks),
		stack_test(entries_are_limited_and_counted),
		stack_test(numbers_without_a_task_are_errors),
		stack_test(guessed_frames_are_marked_with_the_reason),
		stack_test(task_on_a_cpu_says_on_which),
		stack_test(json_has_every_frame),
		stack_test(lists_through_each_other_end),
		stack_test(tasks_that_cannot_be_read_are_counted),
		stack_test(a_task_that_has_begun_to_run_is_not_shown_where_it_slept),
		stack_test(a_task_that_has_ended_has_no_stack),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
