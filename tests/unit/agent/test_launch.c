// SPDX-License-Identifier: GPL-2.0-or-later
#include "agent/agent.h"

#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include "scratch.h"

struct ran {
	struct strbuf out, err;
	struct agent_launch_failure failure;
	bool started;
	int status;
};

static void ran_deinit(struct ran *ran)
{
	strbuf_deinit(&ran->out);
	strbuf_deinit(&ran->err);
}

static void slurp(int fd, struct strbuf *into)
{
	char buffer[4096];

	while (fd >= 0) {
		struct pollfd wait = { .fd = fd, .events = POLLIN };
		ssize_t n;

		assert_true(poll(&wait, 1, -1) > 0);
		n = read(fd, buffer, sizeof(buffer));
		if (n <= 0)
			break;
		strbuf_append_bytes(into, buffer, (size_t)n);
	}
	cleanup_fd(&fd);
}

static const char *kernel_log;

static void run_with(const struct wire_run *run, const char *cgroup_root, struct ran *ret)
{
	struct agent_launch_place place = { .cgroup_root = cgroup_root, .kernel_log = kernel_log };
	_cleanup_strbuf_ struct strbuf status = STRBUF_INIT;
	struct agent_launched launched;

	*ret = (struct ran){ 0 };
	assert_success(agent_launch(run, &place, &launched));
	slurp(launched.status, &status);
	ret->started = status.n == 0;
	if (!ret->started) {
		assert_int_equal(status.n, sizeof(ret->failure));
		memcpy(&ret->failure, status.at, sizeof(ret->failure));
	}
	cleanup_fd(&launched.in);
	slurp(launched.out, &ret->out);
	slurp(launched.err, &ret->err);
	cleanup_fd(&launched.report);
	assert_int_equal(waitpid(launched.pid, &ret->status, 0), launched.pid);
}

#define ARGV(...)                 \
	(const char *const[])     \
	{                         \
		__VA_ARGS__, NULL \
	}
#define SH(script) { .argv = ARGV("sh", "-c", script), .cwd = "", .cgroup = "" }

static void streams_are_separate_and_input_is_empty(void **state)
{
	struct wire_run run = SH("cat; echo out; echo err >&2; exit 4");
	struct ran ran;

	run_with(&run, *state, &ran);
	assert_true(ran.started);
	assert_string_equal(strbuf_str(&ran.out), "out\n");
	assert_string_equal(strbuf_str(&ran.err), "err\n");
	assert_int_equal(WEXITSTATUS(ran.status), 4);
	ran_deinit(&ran);
}

static void a_failed_launch_names_what_is_missing_and_the_errno(void **state)
{
	struct wire_run program = { .argv = ARGV("no-such-program"), .cwd = "", .cgroup = "" };
	struct wire_run dir = SH("true"), cgroup = SH("true");
	struct ran ran;

	run_with(&program, *state, &ran);
	assert_false(ran.started);
	assert_int_equal(ran.failure.errnum, ENOENT);
	assert_string_equal(ran.failure.text, "program no-such-program: No such file or directory");
	ran_deinit(&ran);

	dir.cwd = "/dev/null";
	run_with(&dir, *state, &ran);
	assert_int_equal(ran.failure.errnum, ENOTDIR);
	assert_string_equal(ran.failure.text, "directory /dev/null: Not a directory");
	ran_deinit(&ran);

	cgroup.cgroup = "../up";
	run_with(&cgroup, *state, &ran);
	assert_int_equal(ran.failure.errnum, EINVAL);
	assert_string_equal(ran.failure.text, "cgroup ../up: Invalid argument");
	ran_deinit(&ran);
}

static void the_cgroup_is_entered_before_the_program_runs(void **state)
{
	struct wire_run run = SH("true");
	struct ran ran;

	scratch_dir(*state, "g");
	scratch_write(*state, "g/cgroup.procs", "");
	run.cgroup = "g";
	run_with(&run, *state, &ran);
	assert_true(ran.started);
	assert_file(*state, "g/cgroup.procs", "0");
	ran_deinit(&ran);
}

static void the_environment_is_the_messages_with_a_few_defaults(void **state)
{
	struct wire_run run = SH("echo $A:$HOME:$TERM:$LEAK:$PATH; pwd");
	struct ran ran;

	setenv("LEAK", "of the agent's own", 1);
	run.env = ARGV("A=b c", "HOME=/elsewhere");
	run.n_env = 2;
	run.cwd = "/usr";
	run_with(&run, *state, &ran);
	assert_string_equal(strbuf_str(&ran.out),
			    "b c:/elsewhere:::/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:"
			    "/sbin:/bin\n/usr\n");
	ran_deinit(&ran);
}

static void the_program_is_looked_up_in_its_own_path(void **state)
{
	_cleanup_free_ char *path = xasprintf("PATH=%s", (char *)*state);
	_cleanup_free_ char *program = xasprintf("%s/only-here", (char *)*state);
	struct wire_run run = { .argv = ARGV("only-here", "x  y"), .cwd = "", .cgroup = "" };
	struct ran ran;

	scratch_write(*state, "only-here", "#!/bin/sh\necho \"<$1>\"\n");
	assert_int_equal(chmod(program, 0755), 0);
	run.env = ARGV(path);
	run.n_env = 1;
	run_with(&run, *state, &ran);
	assert_string_equal(strbuf_str(&ran.out), "<x  y>\n");
	ran_deinit(&ran);
}

static void a_command_leads_its_own_session(void **state)
{
	struct wire_run run = SH("cut -d' ' -f1,5,6 /proc/$$/stat; umask");
	struct ran ran;
	int pid, group, session, mask;

	run_with(&run, *state, &ran);
	assert_int_equal(sscanf(strbuf_str(&ran.out), "%d %d %d %o", &pid, &group, &session,
				(unsigned int *)&mask),
			 4);
	assert_int_equal(group, pid);
	assert_int_equal(session, pid);
	assert_int_equal(mask, 022);
	ran_deinit(&ran);
}

static void signals_are_as_a_new_program_expects_them(void **state)
{
	struct wire_run run = SH("exec grep -E 'Sig(Blk|Ign)' /proc/self/status");
	unsigned long long blocked, ignored;
	struct ran ran;
	sigset_t set;

	signal(SIGPIPE, SIG_IGN);
	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigprocmask(SIG_BLOCK, &set, NULL);
	run_with(&run, *state, &ran);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	signal(SIGPIPE, SIG_DFL);
	assert_int_equal(
		sscanf(strbuf_str(&ran.out), "SigBlk: %llx SigIgn: %llx", &blocked, &ignored), 2);
	assert_int_equal(blocked, 0);
	/* 32 and 33 are the C library's own; whoever started us may have them ignored. */
	assert_int_equal(ignored & ~(3ull << 31), 0);
	ran_deinit(&ran);
}

static void a_terminal_is_controlling_and_has_its_size(void **state)
{
	struct wire_run run = SH("stty size; tty; tty < /dev/tty; echo $TERM; echo err >&2");
	struct ran ran;
	char name[100], again[100];

	run.flags = WIRE_RUN_PTY;
	run.cols = 71;
	run.rows = 19;
	run_with(&run, *state, &ran);
	assert_true(ran.started);
	assert_int_equal(sscanf(strbuf_str(&ran.out), "19 71\r\n%99s %99s linux err", name, again),
			 2);
	assert_int_equal(strncmp(name, "/dev/pts/", 9), 0);
	assert_contains(strbuf_str(&ran.out), "linux\r\nerr\r\n");
	assert_int_equal(ran.err.n, 0);
	ran_deinit(&ran);
}

static void the_child_inherits_no_agent_descriptors(void **state)
{
	struct wire_run run = SH("ls /proc/self/fd | tr '\\n' ' '");
	struct ran ran;

	/* What we were born with is not what this is about. */
	assert_int_equal(close_range(3, ~0u, CLOSE_RANGE_CLOEXEC), 0);
	run.flags = WIRE_RUN_STDIN;
	run_with(&run, *state, &ran);
	/* 3 is ls reading the directory. */
	assert_string_equal(strbuf_str(&ran.out), "0 1 2 3 ");
	ran_deinit(&ran);
}

/* What the kernel says later stands behind it in the console, also when nobody answers any more. */
static void starting_a_reporting_program_is_logged_to_kmsg(void **state)
{
	struct wire_run run = SH("exit 0");
	_cleanup_free_ char *path = xasprintf("%s/kmsg", (char *)*state);
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct ran ran;

	cleanup_fd(&(int){ open(path, O_WRONLY | O_CREAT, 0600) });
	kernel_log = path;
	run_with(&run, *state, &ran);
	ran_deinit(&ran);
	run.flags = WIRE_RUN_REPORT;
	run_with(&run, *state, &ran);
	ran_deinit(&ran);
	kernel_log = NULL;
	assert_success(io_read_file(path, 4096, &text));
	assert_string_equal(strbuf_str(&text), "<6>ktstr-agent: sh -c exit 0\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(streams_are_separate_and_input_is_empty),
		scratch_test(a_failed_launch_names_what_is_missing_and_the_errno),
		scratch_test(the_cgroup_is_entered_before_the_program_runs),
		scratch_test(the_environment_is_the_messages_with_a_few_defaults),
		scratch_test(the_program_is_looked_up_in_its_own_path),
		scratch_test(a_command_leads_its_own_session),
		scratch_test(signals_are_as_a_new_program_expects_them),
		scratch_test(a_terminal_is_controlling_and_has_its_size),
		scratch_test(the_child_inherits_no_agent_descriptors),
		scratch_test(starting_a_reporting_program_is_logged_to_kmsg),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
