// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/qemu/qemu_binary.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/io.h"
#include "base/paths.h"
#include "base/spawn.h"
#include "json/rows.h"
#include "base/slice.h"

#define DEFAULT_NAME "qemu-system-x86_64"

enum { CACHE_FILE_LIMIT = 16 << 10 };

void vm_qemu_binary_free(struct vm_qemu_binary *binary)
{
	if (!binary)
		return;
	free(binary->path);
	free(binary->version.text);
	free(binary);
}

struct error *vm_qemu_binary_path(char **ret)
{
	const char *wanted = getenv("KTSTR_QEMU");
	bool is_set = wanted && wanted[0];
	_cleanup_free_ char *path = NULL;

	if (!is_set)
		wanted = DEFAULT_NAME;
	if (strchr(wanted, '/')) {
		path = realpath(wanted, NULL);
		if (!path)
			return base_error(BASE_ABSENT, errno, "KTSTR_QEMU is %s", wanted);
		if (!paths_is_program(path))
			return base_error(BASE_ABSENT, EACCES, "KTSTR_QEMU is %s", wanted);
	} else {
		path = paths_find_program(wanted);
	}
	if (!path)
		return base_error(BASE_ABSENT, 0,
				  "%s%s is not in PATH; Debian's package qemu-system-x86 has it",
				  is_set ? "KTSTR_QEMU: " : "", wanted);
	*ret = take_ptr(path);
	return NULL;
}

/*
 * The output of the child until it has ended, or the limits of size and time. Once it has ended
 * only what is in the pipe now counts: a child it left running may hold the other end.
 */
static struct error *collect(const char *path, int out, int pidfd, struct strbuf *into)
{
	uint64_t end_ns = clock_monotonic_ns() + VM_QEMU_VERSION_WAIT_MS * NS_PER_MS;
	bool ended = false, closed = false;

	while (!ended || !closed) {
		struct pollfd fds[] = { { .fd = closed ? -1 : out, .events = POLLIN },
					{ .fd = ended ? -1 : pidfd, .events = POLLIN } };
		uint64_t now_ns = clock_monotonic_ns();
		char chunk[4096];
		ssize_t n;

		if (now_ns >= end_ns)
			return base_error(BASE_LIMIT, 0, "%s --version did not end within %d s",
					  path, VM_QEMU_VERSION_WAIT_MS / 1000);
		if (poll(fds, 2, ended ? 0 : (int)((end_ns - now_ns) / NS_PER_MS) + 1) < 0) {
			if (errno == EINTR)
				continue;
			return base_error(BASE_IO, errno, "poll");
		}
		if (fds[0].revents) {
			n = read(out, chunk, sizeof(chunk));
			closed = n <= 0;
			if (n > 0)
				strbuf_append_bytes(into, chunk, (size_t)n);
			if (into->n > VM_LIMIT_QEMU_VERSION_OUTPUT)
				return base_error(BASE_LIMIT, 0,
						  "%s --version printed more than %d bytes", path,
						  VM_LIMIT_QEMU_VERSION_OUTPUT);
		} else if (ended) {
			break;
		}
		ended = ended || fds[1].revents;
	}
	return NULL;
}

static struct error *run_for_version(const char *path, struct strbuf *into, int *ret_status)
{
	const char *const argv[] = { path, "--version", NULL };
	_cleanup_close_ int reads = -1, writes = -1, pidfd = -1;
	struct spawn_fd fds[2];
	struct error *err;
	int ends[2];
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return base_error(BASE_IO, errno, "pipe");
	reads = ends[0];
	writes = ends[1];
	fds[0] = (struct spawn_fd){ .ours = writes, .child = STDOUT_FILENO };
	fds[1] = (struct spawn_fd){ .ours = writes, .child = STDERR_FILENO };
	err = spawn_child(&(struct spawn_request){ .argv = argv, .fds = fds, .n_fds = 2 }, &pid,
			  &pidfd);
	if (err)
		return err;
	close(take_fd(writes));
	err = collect(path, reads, pidfd, into);
	if (err) {
		pidfd_send_signal(pidfd, SIGKILL, NULL, 0);
		error_free(spawn_wait(pid, ret_status));
		return err;
	}
	return spawn_wait(pid, ret_status);
}

static struct error *ask(const char *path, struct vm_qemu_version *ret)
{
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	struct error *err;
	int status = 0;

	err = run_for_version(path, &out, &status);
	if (err)
		return err;
	if (status != 0) {
		const char *said = strbuf_str(&out);

		return base_error(BASE_IO, 0, "%s --version failed%s%.*s", path,
				  said[0] ? ": " : "", (int)strcspn(said, "\n"), said);
	}
	return error_wrap(vm_qemu_version_parse(strbuf_str(&out), out.n, ret), "%s --version",
			  path);
}

/* What tells one QEMU from another without running it, and the version it told. */
struct identity {
	char *path, *text;
	uint64_t dev, ino, size, mtime_ns;
};

#define ROW(member) JSON_SCALAR(struct identity, member), .presence = JSON_REQUIRED

static const struct json_row identity_rows[] = {
	{ ROW(path), .means = "the file" },
	{ ROW(dev), .means = "the device it is on" },
	{ ROW(ino), .means = "its inode" },
	{ ROW(size), .means = "its bytes" },
	{ ROW(mtime_ns), .means = "when it was written, in Unix time" },
	{ ROW(text), .means = "its version" },
};

static const struct json_rows identity_table = {
	JSON_TABLE(identity_rows),
	.version_name = "format",
	.version = 1,
};

static void identity_deinit(struct identity *id)
{
	json_rows_deinit(&identity_table, id);
}
#define _cleanup_identity_ __attribute__((cleanup(identity_deinit)))

static bool is_same(const struct identity *a, const struct identity *b)
{
	return a->dev == b->dev && a->ino == b->ino && a->size == b->size &&
	       a->mtime_ns == b->mtime_ns;
}

/*
 * Only an ELF file is its own version: a script may run another QEMU tomorrow. False when
 * nothing may be kept for this file.
 */
static bool identify(const char *path, struct identity *ret)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char magic[4];
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || pread(fd, magic, sizeof(magic), 0) != sizeof(magic) ||
	    memcmp(magic, "\177ELF", sizeof(magic)) != 0)
		return false;
	*ret = (struct identity){
		.dev = st.st_dev,
		.ino = st.st_ino,
		.size = (uint64_t)st.st_size,
		.mtime_ns = (uint64_t)st.st_mtim.tv_sec * NS_PER_SEC + (uint64_t)st.st_mtim.tv_nsec,
	};
	return true;
}

static char *cache_path(const char *path)
{
	_cleanup_free_ char *name = xasprintf(
		"qemu/%016llx.json", (unsigned long long)hash_bytes(HASH_INIT, path, strlen(path)));

	return paths_cache(name);
}

static bool version_from_cache(const char *path, const struct identity *id,
			       struct vm_qemu_version *ret)
{
	_cleanup_free_ char *file = cache_path(path);
	_cleanup_strbuf_ struct strbuf bytes = STRBUF_INIT;
	_cleanup_identity_ struct identity kept = { 0 };
	_cleanup_error_ struct error *err = io_read_regular(file, O_NOFOLLOW, CACHE_FILE_LIMIT,
							    &bytes);

	if (!err)
		err = json_rows_parse(&identity_table, strbuf_str(&bytes), bytes.n, file, &kept);
	if (err || strcmp(kept.path, path) != 0 || !is_same(&kept, id))
		return false;
	/* Through the same parser: a cache is no better than what it was made of. */
	strbuf_clear(&bytes);
	strbuf_appendf(&bytes, VM_QEMU_VERSION_PREFIX "%s", kept.text);
	err = vm_qemu_version_parse(strbuf_str(&bytes), bytes.n, ret);
	return !err;
}

static void version_to_cache(const struct identity *id)
{
	_cleanup_free_ char *file = cache_path(id->path);
	_cleanup_free_ char *dir = paths_cache("qemu");
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	_cleanup_error_ struct error *ignored = paths_make(dir, 0700);

	json_rows_format(&identity_table, id, &out);
	if (!ignored)
		ignored = io_replace_file(file, strbuf_str(&out), out.n);
}

struct error *vm_qemu_binary_open(const char *path, struct vm_qemu_binary **ret)
{
	_cleanup_vm_qemu_binary_ struct vm_qemu_binary *binary = xnew(struct vm_qemu_binary);
	struct identity before, after;
	bool can_cache = identify(path, &before);
	struct error *err;

	binary->path = xstrdup(path);
	if (can_cache && version_from_cache(path, &before, &binary->version)) {
		binary->from_cache = true;
		*ret = take_ptr(binary);
		return NULL;
	}
	err = ask(path, &binary->version);
	if (err)
		return err;
	/* An upgrade between the two looks must not leave the old answer with the new file. */
	if (can_cache && identify(path, &after) && is_same(&before, &after)) {
		before.path = binary->path;
		before.text = binary->version.text;
		version_to_cache(&before);
	}
	*ret = take_ptr(binary);
	return NULL;
}

struct error *vm_qemu_binary_find(struct vm_qemu_binary **ret)
{
	_cleanup_free_ char *path = NULL;
	struct error *err = vm_qemu_binary_path(&path);

	return err ? err : vm_qemu_binary_open(path, ret);
}

enum { NUMBER_LIMIT = 9999 };

/* False when there are no digits or the number is absurd. */
static bool take_number(struct slice *rest, unsigned int *ret)
{
	uint64_t value;

	if (!slice_take_u64(rest, &value) || value > NUMBER_LIMIT)
		return false;
	*ret = (unsigned int)value;
	return true;
}

static bool parse_line(struct slice text, struct vm_qemu_version *ret)
{
	struct vm_qemu_version version = { 0 };
	struct slice rest = text;
	size_t n = 0;

	if (!take_number(&rest, &version.major) || !slice_take_char(&rest, '.') ||
	    !take_number(&rest, &version.minor))
		return false;
	if (slice_take_char(&rest, '.') && !take_number(&rest, &version.micro))
		return false;
	/* "10.0.2x" cannot be compared. */
	if (rest.n && *rest.at != ' ' && *rest.at != '-' && *rest.at != '\r')
		return false;
	while (n < text.n && n < VM_LIMIT_QEMU_VERSION_TEXT && text.at[n] >= ' ' &&
	       text.at[n] <= '~')
		n++;
	version.text = xstrndup(text.at, n);
	*ret = version;
	return true;
}

struct error *vm_qemu_version_parse(const char *text, size_t n, struct vm_qemu_version *ret)
{
	const size_t prefix = strlen(VM_QEMU_VERSION_PREFIX);
	struct slice rest = { text, n }, line;

	while (slice_take_line(&rest, &line))
		if (slice_starts_with(line, VM_QEMU_VERSION_PREFIX) &&
		    parse_line((struct slice){ line.at + prefix, line.n - prefix }, ret))
			return NULL;
	return base_error(BASE_PARSE, 0, "no line of its output says \"%sX.Y.Z\"",
			  VM_QEMU_VERSION_PREFIX);
}

bool vm_qemu_version_at_least(const struct vm_qemu_version *version, unsigned int major,
			      unsigned int minor)
{
	if (version->major != major)
		return version->major > major;
	return version->minor >= minor;
}
