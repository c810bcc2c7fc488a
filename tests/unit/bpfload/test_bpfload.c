// SPDX-License-Identifier: GPL-2.0-or-later
#include "bpfload/bpfload.h"

#include <bpf/libbpf.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit.h"

extern const char iter_good_object_start[], iter_good_object_end[];
extern const char iter_refused_object_start[], iter_refused_object_end[];

#define OPEN(name, ret)                          \
	bpfload_open(#name, name##_object_start, \
		     (size_t)(name##_object_end - name##_object_start), ret)

/* A skip where this user or kernel has no BPF. */
static struct bpfload *open_good(void)
{
	struct bpfload *load = NULL;
	struct error *err = OPEN(iter_good, &load);

	if (err && (error_is(err, &bpfload_error_domain, BPFLOAD_PERMISSION) ||
		    error_is(err, &bpfload_error_domain, BPFLOAD_NO_BTF))) {
		print_message("# skip: %s\n", error_message(err));
		error_free(err);
		skip();
	}
	assert_success(err);
	return load;
}

struct seen {
	pid_t tid, tgid;
	size_t bytes, found;
};

static struct error *look(const void *bytes, size_t n, void *arg)
{
	const int *numbers = bytes;
	struct seen *seen = arg;

	seen->bytes += n;
	assert_int_equal(n % (2 * sizeof(*numbers)), 0);
	for (size_t i = 0; i < n / sizeof(*numbers); i += 2)
		seen->found += numbers[i] == seen->tid && numbers[i + 1] == seen->tgid;
	return NULL;
}

static void an_iterator_is_read_to_its_end(void **state)
{
	_cleanup_bpfload_ struct bpfload *load = open_good();
	struct seen seen = { .tid = getpid(), .tgid = getpid() };

	(void)state;
	assert_success(bpfload_read(load, "iter_good", look, &seen));
	assert_int_equal(seen.found, 1);
}

static void *wait_for(void *arg)
{
	pthread_mutex_lock(arg);
	pthread_mutex_unlock(arg);
	return NULL;
}

static void reading_an_iterator_again_shows_new_threads(void **state)
{
	_cleanup_bpfload_ struct bpfload *load = open_good();
	pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	struct seen before = { 0 }, after = { 0 };
	pthread_t threads[50];

	(void)state;
	assert_success(bpfload_read(load, "iter_good", look, &before));
	pthread_mutex_lock(&mutex);
	for (size_t i = 0; i < 50; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, wait_for, &mutex), 0);
	assert_success(bpfload_read(load, "iter_good", look, &after));
	pthread_mutex_unlock(&mutex);
	for (size_t i = 0; i < 50; i++)
		pthread_join(threads[i], NULL);
	/* Others come and go; not 30 of them in this moment. */
	assert_true(after.bytes > before.bytes + 20 * 2 * sizeof(int));
}

static struct error *refuse(const void *bytes, size_t n, void *arg)
{
	(void)bytes;
	(void)n;
	++*(int *)arg;
	return base_error(BASE_LIMIT, 0, "enough");
}

static void an_error_of_the_visitor_ends_it(void **state)
{
	_cleanup_bpfload_ struct bpfload *load = open_good();
	int visits = 0;

	(void)state;
	assert_error_tag(bpfload_read(load, "iter_good", refuse, &visits), "limit");
	assert_int_equal(visits, 1);
}

static void a_program_that_is_not_there_is_named(void **state)
{
	_cleanup_bpfload_ struct bpfload *load = open_good();
	struct seen seen = { 0 };
	struct error *err;

	(void)state;
	err = bpfload_read(load, "nobody", look, &seen);
	assert_non_null(err);
	assert_contains(error_message(err), "iter_good has no program nobody");
	assert_error_tag(err, "bpf-object");
}

static void bytes_that_are_not_a_bpf_object_are_refused(void **state)
{
	struct bpfload *load = NULL;

	(void)state;
	bpfload_free(open_good());
	assert_error_tag(bpfload_open("nonsense", "nonsense", 8, &load), "bpf-object");
	assert_null(load);
}

static void a_refused_program_quotes_the_verifiers_message(void **state)
{
	struct bpfload *load = NULL;
	struct error *err;

	(void)state;
	bpfload_free(open_good());
	err = OPEN(iter_refused, &load);
	assert_non_null(err);
	assert_null(load);
	assert_contains(error_message(err), "iter_refused: ");
	assert_contains(error_message(err), "invalid mem access 'scalar'");
	assert_error_tag(err, "bpf-refused");
}

static void loading_without_privilege_names_cap_bpf(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	bpfload_free(open_good());
	skip_unless(getuid() == 0, "only root can become somebody else");
	pid = fork();
	if (pid == 0) {
		struct bpfload *load = NULL;
		struct error *err;

		/* Past the wrapper: sanitizers have threads of their own. */
		if (syscall(SYS_setuid, 65534) < 0)
			_exit(2);
		err = OPEN(iter_good, &load);
		_exit(!err || !error_is(err, &bpfload_error_domain, BPFLOAD_PERMISSION) ||
		      !strstr(error_message(err), "CAP_BPF"));
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void expect_tail(const char *text, const char *wanted)
{
	_cleanup_strbuf_ struct strbuf tail = STRBUF_INIT;

	bpfload_log_tail(text, strlen(text), &tail);
	assert_string_equal(strbuf_str(&tail), wanted);
}

static void a_tail_is_the_last_lines_on_one_line(void **state)
{
	(void)state;
	expect_tail("", "");
	expect_tail("one", "one");
	expect_tail("one\ntwo\n", "one | two");
	expect_tail("1\n2\n3\n4\n5\n6\n7\n8\n", "3 | 4 | 5 | 6 | 7 | 8");
}

static void log_markers_and_instruction_counts_are_left_out_of_the_tail(void **state)
{
	(void)state;
	expect_tail("libbpf: prog 'x': BPF program load failed: Permission denied\n"
		    "libbpf: prog 'x': -- BEGIN PROG LOAD LOG --\n"
		    "R1 invalid mem access 'scalar'\n"
		    "\n"
		    "processed 4 insns (limit 1000000)\n"
		    "-- END PROG LOAD LOG --\n",
		    "prog 'x': BPF program load failed: Permission denied | "
		    "R1 invalid mem access 'scalar'");
}

/* Opening nonsense makes libbpf speak. */
static void make_it_speak(void)
{
	assert_null(bpf_object__open_mem("nonsense", 8, NULL));
}

static void libbpf_messages_are_collected_between_begin_and_end(void **state)
{
	_cleanup_strbuf_ struct strbuf log = STRBUF_INIT;
	size_t n;

	(void)state;
	bpfload_log_begin(&log);
	make_it_speak();
	bpfload_log_end();
	assert_contains(strbuf_str(&log), "libbpf: ");
	n = log.n;
	make_it_speak();
	assert_int_equal(log.n, n);
}

static void an_overlong_log_keeps_its_end(void **state)
{
	_cleanup_strbuf_ struct strbuf log = STRBUF_INIT;

	(void)state;
	strbuf_append_repeated(&log, 'x', 2 * BPFLOAD_LOG_BYTES);
	bpfload_log_begin(&log);
	make_it_speak();
	bpfload_log_end();
	assert_in_range(log.n, 1, BPFLOAD_LOG_BYTES);
	assert_int_equal(strlen(strbuf_str(&log)), log.n);
	assert_contains(strbuf_str(&log), "libbpf: ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_iterator_is_read_to_its_end),
		cmocka_unit_test(reading_an_iterator_again_shows_new_threads),
		cmocka_unit_test(an_error_of_the_visitor_ends_it),
		cmocka_unit_test(a_program_that_is_not_there_is_named),
		cmocka_unit_test(bytes_that_are_not_a_bpf_object_are_refused),
		cmocka_unit_test(a_refused_program_quotes_the_verifiers_message),
		cmocka_unit_test(loading_without_privilege_names_cap_bpf),
		cmocka_unit_test(a_tail_is_the_last_lines_on_one_line),
		cmocka_unit_test(log_markers_and_instruction_counts_are_left_out_of_the_tail),
		cmocka_unit_test(libbpf_messages_are_collected_between_begin_and_end),
		cmocka_unit_test(an_overlong_log_keeps_its_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
