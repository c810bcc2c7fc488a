// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/qemu/accel.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"

/* linux/kvm.h has these only where KVM exists; the numbers are its ABI. */
static const char *const exit_reasons[] = {
	[0] = "unknown",
	[2] = "io",
	[5] = "halted",
	[6] = "mmio",
	[8] = "shutdown: a triple fault",
	[9] = "entry failed",
	[17] = "internal error: the instruction was not executed but emulated, and that failed",
};

static const char *const step_words[] = {
#define STEP_WORDS_(id, words) [id] = words,
	VM_KVM_TRIAL_STEPS(STEP_WORDS_)
};

static const char *exit_reason_words(uint32_t reason)
{
	return reason < ARRAY_SIZE(exit_reasons) && exit_reasons[reason] ? exit_reasons[reason]
									 : "not expected";
}

#define SAY(probe, ...) snprintf((probe)->reason, sizeof((probe)->reason), __VA_ARGS__)

static void judge_step(const struct vm_kvm_trial *trial, const char *device,
		       struct vm_kvm_probe *ret)
{
	if (trial->step == VM_KVM_TRIAL_OPEN && trial->errnum == ENOENT)
		SAY(ret, "there is no %s", device);
	else if (trial->step == VM_KVM_TRIAL_OPEN && trial->errnum == EACCES)
		SAY(ret, "no permission for %s", device);
	else if (trial->step == VM_KVM_TRIAL_OPEN)
		SAY(ret, "cannot open %s: %s", device, strerror(trial->errnum));
	else if (trial->step == VM_KVM_TRIAL_ARCH)
		SAY(ret, "there is no trial guest for this architecture");
	else
		SAY(ret, "%s: %s", step_words[trial->step],
		    trial->errnum ? strerror(trial->errnum) : "not what was expected");
}

void vm_kvm_probe_judge(const struct vm_kvm_trial *trial, const char *device,
			struct vm_kvm_probe *ret)
{
	enum { EXIT_IO = 2 };

	ret->usable = false;
	if (trial->step >= VM_KVM_TRIAL_N_STEPS)
		SAY(ret, "the trial gave an invalid answer");
	else if (trial->step != VM_KVM_TRIAL_RAN)
		judge_step(trial, device, ret);
	else if (trial->exit_reason != EXIT_IO)
		SAY(ret, "a 64-bit guest ended with exit reason %u, detail %u (%s)",
		    trial->exit_reason, trial->detail, exit_reason_words(trial->exit_reason));
	else if (trial->answer != VM_KVM_TRIAL_ANSWER)
		SAY(ret, "a 64-bit guest computed %#x instead of %#x", trial->answer,
		    (unsigned int)VM_KVM_TRIAL_ANSWER);
	else
		ret->usable = true;
	if (ret->usable)
		SAY(ret, "a 64-bit guest ran in %llu ms",
		    (unsigned long long)(ret->took_ns / NS_PER_MS));
}

/* Between fork() and _exit(): the program may have threads, so system calls only. */
_Noreturn static void be_child(vm_kvm_trial_fn trial, const char *device, pid_t parent, int out)
{
	struct vm_kvm_trial report;
	sigset_t all;
	ssize_t n;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	trial(device, &report);
	n = write(out, &report, sizeof(report));
	_exit(n == sizeof(report) ? 0 : 1);
}

/* True when the descriptor became readable or its other end was closed. */
static bool wait_readable(int fd, uint64_t limit_ms)
{
	uint64_t end_ns = clock_monotonic_ns() + limit_ms * NS_PER_MS;

	for (;;) {
		struct pollfd pfd = { .fd = fd, .events = POLLIN };
		uint64_t now_ns = clock_monotonic_ns();

		if (now_ns >= end_ns)
			return false;
		if (poll(&pfd, 1, (int)((end_ns - now_ns) / NS_PER_MS) + 1) > 0)
			return true;
	}
}

/* Never waits for a child that cannot be killed. True when it was reaped. */
static bool end_child(pid_t pid, int out, int *ret_status)
{
	char rest[sizeof(struct vm_kvm_trial)];

	kill(pid, SIGKILL);
	/* End of file: the child's end of the pipe is closed when it is gone. */
	while (wait_readable(out, VM_KVM_PROBE_KILL_MS)) {
		if (read(out, rest, sizeof(rest)) <= 0)
			return TEMP_FAILURE_RETRY(waitpid(pid, ret_status, 0)) == pid;
	}
	return waitpid(pid, ret_status, WNOHANG) == pid;
}

static void collect(pid_t pid, int out, const char *device, uint64_t limit_ms,
		    struct vm_kvm_probe *ret)
{
	uint64_t start_ns = clock_monotonic_ns();
	struct vm_kvm_trial report;
	bool answered = wait_readable(out, limit_ms), reaped;
	ssize_t n = answered ? read(out, &report, sizeof(report)) : 0;
	int status = 0;

	ret->took_ns = clock_monotonic_ns() - start_ns;
	reaped = end_child(pid, out, &status);
	if (n == sizeof(report))
		vm_kvm_probe_judge(&report, device, ret);
	else if (!answered)
		SAY(ret, "a 64-bit guest did not end within %llu ms%s",
		    (unsigned long long)limit_ms, reaped ? "" : ", and cannot be killed");
	else if (reaped && WIFSIGNALED(status))
		SAY(ret, "the trial was ended by signal %d", WTERMSIG(status));
	else
		SAY(ret, "the trial ended without an answer");
}

void vm_kvm_probe_run_trial(vm_kvm_trial_fn trial, const char *device, uint64_t limit_ms,
			    struct vm_kvm_probe *ret)
{
	_cleanup_close_ int reads = -1, writes = -1;
	pid_t parent = getpid(), pid;
	int ends[2];

	memset(ret, 0, sizeof(*ret));
	if (pipe2(ends, O_CLOEXEC) < 0) {
		SAY(ret, "cannot create a pipe for the trial: %s", strerror(errno));
		return;
	}
	reads = ends[0];
	writes = ends[1];
	pid = fork();
	if (pid < 0) {
		SAY(ret, "cannot fork for the trial: %s", strerror(errno));
		return;
	}
	if (pid == 0)
		be_child(trial, device, parent, writes);
	close(take_fd(writes));
	collect(pid, reads, device, limit_ms, ret);
}

void vm_kvm_probe_run(struct vm_kvm_probe *ret)
{
	vm_kvm_probe_run_trial(vm_kvm_trial_run, VM_KVM_PROBE_DEVICE, VM_LIMIT_KVM_PROBE_MS, ret);
}
