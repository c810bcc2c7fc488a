// SPDX-License-Identifier: LGPL-2.1-or-later
/* Can this QEMU give a guest a virtual clock? It is run with the plugin, which ends it at once. */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/spawn.h"
#include "vm/clock.h"
#include "vm/error.h"
#include "vm/link/mailbox.h"
#include "vm/qemu/machine_args.h"

#define NOTE "clock-trial"

enum {
	TRIAL_WAIT_MS = 30000,
	WORDS_BYTES = 4096,
	KEPT_SEC = 7 * 86400,
};

/* What the plugin said, after which QEMU only says that it is not loaded; else the last line. */
static char *reason_line(int fd)
{
	char text[WORDS_BYTES];
	ssize_t n = pread(fd, text, sizeof(text) - 1, 0);
	char *at, *nl;

	n = n > 0 ? n : 0;
	while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == '\r'))
		n--;
	text[n] = '\0';
	at = strstr(text, WIRE_PLUGIN_SAYS);
	nl = strrchr(text, '\n');
	if (at)
		return xstrndup(at, strcspn(at, "\r\n"));
	return xstrdup(nl ? nl + 1 : text);
}

static struct error *run(const char *path, int plugin_fd, int words_fd, int *ret_status)
{
	static const char plugin[] = "/proc/self/fd/3,trial=on";
	const char *const argv[] = { path,	"-machine", "none",    "-nodefaults", "-accel",
				     "tcg",	"-icount",  "shift=0", "-display",    "none",
				     "-plugin", plugin,	    NULL };
	const struct spawn_fd fds[] = { { words_fd, STDOUT_FILENO },
					{ words_fd, STDERR_FILENO },
					{ plugin_fd, 3 } };
	_cleanup_close_ int pidfd = -1;
	struct pollfd p;
	struct error *err;
	pid_t pid;

	err = spawn_child(
		&(struct spawn_request){
			.argv = argv, .fds = fds, .n_fds = ARRAY_SIZE(fds), .own_group = true },
		&pid, &pidfd);
	if (err)
		return error_recast(err, &vm_error_domain, VM_QEMU_MISSING);
	p = (struct pollfd){ .fd = pidfd, .events = POLLIN };
	while (poll(&p, 1, TRIAL_WAIT_MS) < 0 && errno == EINTR)
		;
	/* One that has ended does not mind. */
	pidfd_send_signal(pidfd, SIGKILL, NULL, 0);
	return spawn_wait(pid, ret_status);
}

static struct error *try_it(const char *path)
{
	_cleanup_close_ int words_fd = memfd_create("ktstr-trial", MFD_CLOEXEC);
	_cleanup_close_ int plugin_fd = -1;
	_cleanup_free_ char *words = NULL;
	struct error *err;
	int status = 0;

	if (words_fd < 0)
		return vm_error(VM_QEMU_FAILED, errno, "cannot create a file for QEMU's output");
	err = vm_plugin_file(&plugin_fd);
	if (!err)
		err = run(path, plugin_fd, words_fd, &status);
	if (err)
		return err;
	if (WIFEXITED(status) && WEXITSTATUS(status) == WIRE_TRIAL_STATUS)
		return NULL;
	words = reason_line(words_fd);
	if (WIFSIGNALED(status))
		return vm_error(VM_QEMU_FAILED, 0, "it was ended by signal %d%s%s",
				WTERMSIG(status), words[0] ? ": " : "", words);
	return vm_error(VM_QEMU_FAILED, 0, "it ended with status %d%s%s", WEXITSTATUS(status),
			words[0] ? ": " : "", words);
}

/* What the answer depends on. A script may run another QEMU tomorrow, but then it is changed. */
static uint64_t key_of(const char *path)
{
	struct bytes image = vm_plugin_image();
	uint64_t key = hash_bytes(HASH_INIT, image.at, image.n);
	struct stat st;
	uint64_t facts[5] = { 0 };

	if (stat(path, &st) == 0) {
		facts[0] = st.st_dev;
		facts[1] = st.st_ino;
		facts[2] = (uint64_t)st.st_size;
		facts[3] = (uint64_t)st.st_mtim.tv_sec;
		facts[4] = (uint64_t)st.st_mtim.tv_nsec;
	}
	key = hash_bytes(key, facts, sizeof(facts));
	return hash_bytes(key, path, strlen(path));
}

struct error *vm_clock_trial(const char *path)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	_cleanup_free_ char *reason = NULL;
	uint64_t key = key_of(path);
	bool works = false;

	pthread_mutex_lock(&lock);
	if (!vm_boot_note_recall(NOTE, key, KEPT_SEC, &works, &reason)) {
		_cleanup_error_ struct error *err = try_it(path);

		works = !err;
		reason = xstrdup(err ? error_message(err) : "");
		/* A failure may be the host's: of memory, of time. */
		if (works)
			vm_boot_note_keep(NOTE, key, true, "the plugin was loaded");
	}
	pthread_mutex_unlock(&lock);
	if (works)
		return NULL;
	return vm_error(VM_QEMU_FAILED, 0,
			"%s cannot give a guest a virtual clock: %s; --clock real uses the host's "
			"clock",
			path, reason);
}
