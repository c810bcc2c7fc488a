// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/shell/shell.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "cli/frame/command.h"
#include "cli/frame/interrupts.h"
#include "observe/observe.h"
#include "vm/link/exec.h"
#include "vm/link/settle.h"
#include "vm/model.h"
#include "vm/template/template.h"

enum { CONSOLE_TAIL_BYTES = 16 << 10, KEEP_SLICE_MS = 50 };

struct shell {
	const struct shell_config *config;
	struct timing timing;
	struct command_line line;
	struct vm_spec spec;
	struct kernel *kernel;
	struct strbuf archive; /* of -i */
	struct strbuf console; /* the guest's last words */
	struct vm *vm;
	struct observe_observer *observer;
	int trace_fd;
	int status;
};

static struct cancel cancel;

static void say(void *context UNUSED, const char *line)
{
	output_say_line(line);
}

/* The first guest of a kind keeps people waiting; programs do not ask why. */
static void say_patience(void *context UNUSED)
{
	if (isatty(STDERR_FILENO))
		output_say_line(
			"the first guest of this kind boots; the next ones are cloned at once");
}

static void mark(struct shell *shell, const char *what)
{
	timing_mark(&shell->timing, what, clock_monotonic_ns());
}

/* Everything that can be wrong before a guest exists. */
static struct error *prepare(struct shell *shell)
{
	const struct shell_config *config = shell->config;
	struct vm_spec *spec = &shell->spec;
	uint64_t memory_bytes;
	struct error *err;

	spec->accel = (enum vm_accel_wish)config->accel;
	spec->say = config->verbose ? say : NULL;
	spec->on_template = say_patience;
	spec->ret_console = &shell->console;
	memory_bytes = spec->memory_bytes ? spec->memory_bytes
					  : vm_ram_default_bytes(&spec->topology);
	if (config->files.n) {
		err = shell_pack_files(&config->files, memory_bytes, &shell->archive);
		if (err)
			return err;
		mark(shell, "files");
	}
	err = kernel_resolve(config->kernel, &shell->kernel);
	spec->kernel = shell->kernel;
	mark(shell, "kernel");
	return err;
}

static void say_machine(struct shell *shell)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	const struct topo *topology = &shell->spec.topology;
	struct vm_facts facts = vm_facts(shell->vm);

	strbuf_appendf(&text, "kernel %s, machine ", facts.release);
	topo_format(topology, &text);
	strbuf_appendf(&text, ", CPUs %u, memory %llu MiB, %s", topo_cpus(topology),
		       (unsigned long long)(facts.memory_bytes >> 20),
		       facts.cloned ? "a clone" : "booted");
	if (shell->config->verbose)
		output_say_line(strbuf_str(&text));
	if (shell->line.pty)
		output_say_line("Ctrl-A X ends the guest, Ctrl-A Ctrl-A types one Ctrl-A");
}

/* People who type may do so in a busy guest. */
static struct error *settle(struct shell *shell)
{
	struct vm_settled settled;
	struct error *err;

	if (shell->line.pty)
		return NULL;
	err = vm_settle(shell->vm, &cancel, &settled);
	mark(shell, "idle");
	if (!err && shell->config->verbose) {
		_cleanup_free_ char *line = xasprintf(
			"all CPUs idle after %.1f ms of guest time; the busiest, CPU %u, at most "
			"%.1f %%",
			(double)settled.waited_ns / (double)NS_PER_MS, settled.cpu,
			settled.permille / 10.0);

		output_say_line(line);
	}
	return err;
}

static struct error *start(struct shell *shell)
{
	struct error *err;

	if (shell->spec.cold && isatty(STDERR_FILENO))
		output_say_line("the guest boots");
	err = vm_start(&shell->spec, &cancel, &shell->vm);
	if (err)
		return err;
	timing_mark(&shell->timing, "QEMU", vm_facts(shell->vm).prepared_ns);
	mark(shell, shell->spec.cold ? "boot" : "wake");
	if (shell->archive.n) {
		uint64_t files;

		err = vm_put_bytes(shell->vm, "/", shell->archive.at, shell->archive.n, &cancel,
				   &files);
		mark(shell, "put");
	}
	for (size_t i = 0; !err && i < shell->config->modules.n; i++)
		err = vm_load_module(shell->vm, shell->kernel->modules_dir,
				     shell->config->modules.at[i], &cancel);
	if (shell->config->modules.n)
		mark(shell, "modules");
	return err ? err : settle(shell);
}

static int status_of(enum session_end how, const struct vm_end *end)
{
	switch (how) {
	case SESSION_EXITED:
		return report_status(end);
	case SESSION_LEFT:
		return 0;
	case SESSION_TIMED_OUT:
		return SHELL_TIMED_OUT;
	case SESSION_UNREAD:
		return SHELL_SIGNAL + SIGPIPE;
	case SESSION_SIGNALLED:
		return SHELL_SIGNAL + cli_interrupts_ended_by();
	}
	return SHELL_FAILED;
}

/* Prints how the command ended and sets the exit status. */
static void finish(struct shell *shell, enum session_end how, const struct vm_end *end)
{
	_cleanup_strbuf_ struct strbuf words = STRBUF_INIT;

	if (how == SESSION_EXITED)
		report_format_end(end, shell->line.argv[0], &words);
	if (how == SESSION_TIMED_OUT)
		strbuf_appendf(&words, "ktstr: the command was killed after %u s\n",
			       shell->config->timeout_sec);
	output_say(strbuf_str(&words));
	shell->status = status_of(how, end);
}

static double us(uint64_t ns)
{
	return (double)ns / 1000;
}

/* Times are those of a machine whose CPUs take turns: by so much they may be off. */
static void say_model(const struct vm_model *m)
{
	_cleanup_free_ char *line = NULL;

	if (!m)
		line = xstrdup("how exact its times are was not measured");
	else if (m->cpus == 1)
		line = xasprintf("measured: timers %.3g us late, at most %.3g us",
				 us(m->timer_p50_ns), us(m->timer_max_ns));
	else
		line = xasprintf(
			"measured with all CPUs busy: turns %.3g us, interrupts %.3g us (at "
			"most %.3g us), wake-ups %.3g us (at most %.3g us), timers %.3g us "
			"late (at most %.3g us)",
			us(m->turn_ns), us(m->ipi_busy_p50_ns), us(m->ipi_busy_max_ns),
			us(m->wake_busy_p50_ns), us(m->wake_busy_max_ns), us(m->timer_p50_ns),
			us(m->timer_max_ns));
	output_say_line(line);
}

static void say_clock(const struct shell *shell)
{
	struct vm_facts facts = vm_facts(shell->vm);
	_cleanup_free_ char *line = xasprintf(
		"virtual clock: %.4g MIPS (%.4g for each CPU when all are busy), seed "
		"%llu, digest %016llx, the guest's clock shows %.6f s%s",
		facts.speed.total_mips, facts.speed.cpu_mips, (unsigned long long)facts.seed,
		(unsigned long long)facts.digest, (double)facts.guest_ns / (double)NS_PER_SEC,
		facts.touched ? "; it was stopped from outside, so another run may differ" : "");

	output_say_line(line);
	say_model(facts.model);
}

static struct error *observe(struct shell *shell)
{
	const char *path = shell->config->trace;

	if (!path)
		return NULL;
	shell->trace_fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (shell->trace_fd < 0)
		return observe_error(OBSERVE_FILE, errno, "%s", path);
	return observe_begin(shell->vm, shell->trace_fd, &cancel, &shell->observer);
}

/* What was seen up to a failure is worth as much. */
static void end_trace(struct shell *shell)
{
	struct error *err = observe_end(take_ptr(shell->observer));

	if (err)
		cli_fail(err);
	error_free(err);
	cleanup_fd(&shell->trace_fd);
}

static struct error *run_guest(struct shell *shell)
{
	bool virtual = shell->spec.clock == VM_CLOCK_VIRTUAL;
	struct vm_end end = { 0 };
	enum session_end how;
	struct error *err;

	if (virtual && shell->line.pty)
		return cli_error(
			CLI_USAGE, 0,
			"--clock virtual has no terminal: give --exec or a command after --");
	err = start(shell);
	if (err)
		return err;
	say_machine(shell);
	err = observe(shell);
	if (err)
		return err;
	command_line_set_prompt(&shell->line, shell->kernel->version, &shell->spec.topology);
	err = session_run(shell->vm, &shell->line, shell->config->timeout_sec, &cancel, &how, &end);
	mark(shell, "command");
	/* `poweroff` and `reboot` typed at a terminal are not errors. */
	if (err && shell->line.pty &&
	    (error_is(err, &vm_error_domain, VM_POWERED_OFF) ||
	     error_is(err, &vm_error_domain, VM_REBOOTED))) {
		output_say(error_is(err, &vm_error_domain, VM_REBOOTED)
				   ? "ktstr: the guest restarted itself, which ends it\n"
				   : "ktstr: the guest switched itself off\n");
		error_free(err);
		return NULL;
	}
	if (virtual && shell->config->verbose)
		say_clock(shell);
	if (err)
		return err;
	finish(shell, how, &end);
	return NULL;
}

/* Waits until the guest is ended by someone or its time is over. */
static void keep_guest(struct shell *shell)
{
	uint32_t sec = shell->config->keep_guest_sec;
	uint64_t end_ns = clock_monotonic_ns() + sec * NS_PER_SEC;
	_cleanup_strbuf_ struct strbuf words = STRBUF_INIT;
	struct timespec pause = { .tv_nsec = KEEP_SLICE_MS * (long)NS_PER_MS };
	const char *id = vm_facts(shell->vm).id;

	error_free(vm_freeze(shell->vm));
	strbuf_appendf(&words,
		       "ktstr: the guest is kept for %u s: inspect it with `ktstr inspect vm:%s "
		       "--freeze`, end it with `ktstr vm kill %s` or Ctrl-C\n",
		       sec, id, id);
	output_say(strbuf_str(&words));
	while (!vm_has_ended(shell->vm) && clock_monotonic_ns() < end_ns &&
	       !cancel_requested(&cancel))
		nanosleep(&pause, NULL);
	mark(shell, "kept");
}

static int fail(struct shell *shell, const struct error *err)
{
	_cleanup_strbuf_ struct strbuf words = STRBUF_INIT;

	if (error_is(err, &base_error_domain, BASE_CANCELLED) && cli_interrupts_ended_by())
		return SHELL_SIGNAL + cli_interrupts_ended_by();
	if (shell->vm)
		error_free(vm_console_read_tail(vm_facts(shell->vm).console_path,
						CONSOLE_TAIL_BYTES, &shell->console));
	report_format_failure(err, strbuf_str(&shell->console), &words);
	output_say(strbuf_str(&words));
	if (shell->vm && shell->config->keep_guest_sec && vm_can_be_kept(shell->vm, err))
		keep_guest(shell);
	return SHELL_FAILED;
}

/* Files we open must not become one of our streams by accident. */
static void fill_streams(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

static void end(struct shell *shell)
{
	end_trace(shell);
	vm_free(take_ptr(shell->vm));
	mark(shell, "end");
	if (shell->config->verbose) {
		_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;

		strbuf_append(&text, "milliseconds: ");
		timing_format(&shell->timing, &text);
		output_say_line(strbuf_str(&text));
	}
	kernel_free(shell->kernel);
	strbuf_deinit(&shell->archive);
	strbuf_deinit(&shell->console);
	command_line_deinit(&shell->line);
}

int shell_run(const struct shell_config *config)
{
	struct shell shell = { .config = config, .spec = config->spec, .trace_fd = -1 };
	_cleanup_error_ struct error *err = NULL;

	timing_begin(&shell.timing, clock_monotonic_ns());
	fill_streams();
	command_line_init(&shell.line, config, isatty(STDIN_FILENO), getenv("TERM"));
	err = cli_interrupts_install(&cancel);
	if (!err)
		err = prepare(&shell);
	if (!err)
		err = run_guest(&shell);
	if (err)
		shell.status = fail(&shell, err);
	end(&shell);
	return shell.status;
}
