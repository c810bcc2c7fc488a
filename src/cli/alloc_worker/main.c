// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A process whose allocations are known: it allocates BYTES once, says that it
 * is ready and stays. Linked statically with a real jemalloc, and with nothing
 * of ours, since each allocation of a helper would be counted too. For the same
 * reason it prints with write() and not through stdio's buffers.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "base/ready_marker.h"
#include "base/str.h"

enum worker_exit {
	WORKER_OK = 0, /* --help and --version only; a worker ends by a signal */
	WORKER_ZERO_BYTES = 2,
	WORKER_NOT_SINGLE_THREADED = 3,
	WORKER_NO_READY_MARKER = 4,
	WORKER_BAD_ARGUMENTS = 5,
	WORKER_NO_TASK_LIST = 6,
	WORKER_NO_MEMORY = 101, /* what a panicking allocator ends with elsewhere */
};

enum {
	HELPER_SLEEP_US = 100,
	PARK_SECONDS = 3600,
	LONGEST_LINE = 512,
};

/* The one thread that must be there is ours; jemalloc adds none. */
extern const char *malloc_conf;
const char *malloc_conf = "background_thread:false";

static const char help[] =
	"Usage: ktstr-jemalloc-alloc-worker [--churn] BYTES\n"
	"\n"
	"Allocate BYTES with jemalloc, touch them, say so and stay until killed.\n"
	"\n"
	"Arguments:\n"
	"  BYTES          how many bytes to allocate (1 or more)\n"
	"\n"
	"Options:\n"
	"      --churn    start and join a short-lived thread over and over\n"
	"  -h, --help     show this help\n"
	"  -V, --version  print name and version\n"
	"\n"
	"Exit status:\n"
	"  2    BYTES is 0\n"
	"  3    the process has more than one thread\n"
	"  4    the ready marker could not be written\n"
	"  5    the arguments are wrong\n"
	"  6    /proc/self/task cannot be read\n"
	"  101  the memory was refused\n";

static void write_text(int fd, const char *text)
{
	size_t n = strlen(text);

	while (n > 0) {
		ssize_t written = write(fd, text, n);

		if (written < 0 && errno != EINTR)
			return;
		if (written > 0) {
			text += written;
			n -= (size_t)written;
		}
	}
}

static __attribute__((format(printf, 2, 3))) void print(int fd, const char *fmt, ...)
{
	char line[LONGEST_LINE];
	va_list args;

	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	write_text(fd, line);
}

#define complain(fmt, ...) print(STDERR_FILENO, "jemalloc-alloc-worker: " fmt "\n", ##__VA_ARGS__)

/* -1 when the directory cannot be read. */
static int count_threads(void)
{
	DIR *dir = opendir("/proc/self/task");
	struct dirent *entry;
	int n = 0;

	if (!dir)
		return -1;
	while ((entry = readdir(dir)))
		n += entry->d_name[0] != '.';
	closedir(dir);
	return n;
}

static bool write_ready_marker(void)
{
	char path[PATH_MAX];
	size_t n = strlen(READY_MARKER_TEXT);
	bool written;
	int fd;

	if (!ready_marker_path(getpid(), path, sizeof(path))) {
		complain("the path of the ready marker is too long");
		return false;
	}
	/* The directory may be open to everyone: a link waiting there is not followed. */
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
	written = fd >= 0 && write(fd, READY_MARKER_TEXT, n) == (ssize_t)n;
	if (!written)
		complain("cannot write ready marker %s: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return written;
}

static void *helper(void *unused)
{
	usleep(HELPER_SLEEP_US);
	return unused;
}

static _Noreturn void churn(void)
{
	for (;;) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, helper, NULL) == 0)
			pthread_join(thread, NULL);
		else
			usleep(HELPER_SLEEP_US);
	}
}

static _Noreturn void park(void)
{
	for (;;)
		sleep(PARK_SECONDS);
}

static int work(size_t bytes, bool with_churn)
{
	int n_threads = with_churn ? 1 : count_threads();
	char *memory;

	if (n_threads < 0) {
		complain("cannot read /proc/self/task: %s", strerror(errno));
		return WORKER_NO_TASK_LIST;
	}
	if (n_threads != 1) {
		complain("%d threads, expected 1 (is background_thread on in MALLOC_CONF?)",
			 n_threads);
		return WORKER_NOT_SINGLE_THREADED;
	}
	memory = calloc(1, bytes);
	if (!memory) {
		complain("cannot allocate %zu bytes: %s", bytes, strerror(errno));
		return WORKER_NO_MEMORY;
	}
	memset(memory, 0xa5, bytes);
	/* As if somebody read it all: neither the call nor the bytes can be left out. */
	__asm__ volatile("" : : "r"(memory) : "memory");
	if (!write_ready_marker())
		return WORKER_NO_READY_MARKER;
	print(STDOUT_FILENO, "jemalloc-alloc-worker ready pid=%d bytes=%zu\n", (int)getpid(),
	      bytes);
	if (with_churn)
		churn();
	park();
}

static int bad_arguments(const char *what, const char *word)
{
	complain("%s%s%s; usage: ktstr-jemalloc-alloc-worker [--churn] BYTES", what,
		 word ? " " : "", word ? word : "");
	return WORKER_BAD_ARGUMENTS;
}

int main(int argc, char *argv[])
{
	const char *bytes_text = NULL;
	bool with_churn = false;
	uint64_t bytes;

	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0) {
			write_text(STDOUT_FILENO, help);
			return WORKER_OK;
		}
		if (strcmp(argv[i], "-V") == 0 || strcmp(argv[i], "--version") == 0) {
			write_text(STDOUT_FILENO,
				   "ktstr-jemalloc-alloc-worker " KTSTR_VERSION "\n");
			return WORKER_OK;
		}
		if (strcmp(argv[i], "--churn") == 0)
			with_churn = true;
		else if (strncmp(argv[i], "--", 2) == 0)
			return bad_arguments("unknown option", argv[i]);
		else if (bytes_text)
			return bad_arguments("unexpected argument", argv[i]);
		else
			bytes_text = argv[i];
	}
	if (!bytes_text)
		return bad_arguments("BYTES is missing", NULL);
	if (!str_parse_u64(bytes_text, SIZE_MAX, &bytes))
		return bad_arguments("BYTES is not a whole number:", bytes_text);
	if (bytes == 0) {
		complain("BYTES is 0, expected 1 or more");
		return WORKER_ZERO_BYTES;
	}
	return work(bytes, with_churn);
}
