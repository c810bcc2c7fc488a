// SPDX-License-Identifier: LGPL-2.1-or-later
#include "harness/session.h"

#include <elf.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/spawn.h"
#include "elf/image.h"
#include "harness/limits.h"
#include "json/doc.h"

enum {
	LOOK_MS = 50, /* how often a cancel is looked at */
	PIECE_BYTES = 65536,
};

/* The program's two streams. More than `limit` on standard output is an error, on the other lost.
 */
struct stream {
	int fd; /* -1: ended */
	struct strbuf text;
	size_t limit;
	bool overflowed;
};

struct child {
	const char *path;
	pid_t pid;
	int pidfd;
	struct stream out, err;
};

static void child_deinit(struct child *child)
{
	cleanup_fd(&child->pidfd);
	cleanup_fd(&child->out.fd);
	cleanup_fd(&child->err.fd);
	strbuf_deinit(&child->out.text);
	strbuf_deinit(&child->err.text);
}

/* Ours without what is meant for guests. Strings are borrowed. */
static char **make_environment(void)
{
	size_t n = 0, kept = 0;
	char **env;

	while (environ && environ[n])
		n++;
	env = xcalloc(n + 1, sizeof(*env));
	for (size_t i = 0; i < n; i++)
		if (strncmp(environ[i], "KTSTR_", strlen("KTSTR_")) != 0)
			env[kept++] = environ[i];
	return env;
}

static struct error *start(struct child *child)
{
	const char *argv[] = { child->path, "--list", "--json", NULL };
	_cleanup_free_ char **env = make_environment();
	struct error *err = spawn_piped(&(struct spawn_request){ .argv = argv,
								 .env = (const char *const *)env,
								 .own_group = true },
					&child->out.fd, &child->err.fd, &child->pid, &child->pidfd);

	return error_recast(err, &harness_error_domain, HARNESS_NOT_TESTS);
}

/* Takes what is there now; of a stream past its limit one piece, which is dropped. */
static void drain(struct stream *stream)
{
	char piece[PIECE_BYTES];

	while (stream->fd >= 0) {
		ssize_t n = read(stream->fd, piece, sizeof(piece));
		size_t room = stream->limit - stream->text.n;

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return;
		if (n <= 0) {
			cleanup_fd(&stream->fd);
			stream->fd = -1;
			return;
		}
		strbuf_append_bytes(&stream->text, piece, (size_t)n > room ? room : (size_t)n);
		if ((size_t)n > room) {
			stream->overflowed = true;
			return;
		}
	}
}

/* Until the program has ended. What it leaves running does not keep us. */
static struct error *watch(struct child *child, const struct harness_listing_bounds *bounds,
			   const struct cancel *cancel)
{
	uint64_t deadline_ns = clock_monotonic_ns() + bounds->timeout_ns;

	for (;;) {
		struct pollfd fds[] = {
			{ .fd = child->pidfd, .events = POLLIN },
			{ .fd = child->out.fd, .events = POLLIN },
			{ .fd = child->err.fd, .events = POLLIN },
		};
		struct error *err = cancel_error(cancel, "listing tests");

		if (err)
			return err;
		if (poll(fds, ARRAY_SIZE(fds), LOOK_MS) < 0 && errno != EINTR)
			return base_error(BASE_IO, errno, "waiting for %s", child->path);
		drain(&child->out);
		drain(&child->err);
		if (child->out.overflowed)
			return harness_error(HARNESS_LISTING, 0, "%s lists more than %zu bytes",
					     child->path, bounds->output_bytes);
		if (fds[0].revents)
			return NULL;
		if (clock_monotonic_ns() >= deadline_ns)
			return harness_error(
				HARNESS_LISTING, 0, "%s did not list its tests within %llu ms",
				child->path, (unsigned long long)(bounds->timeout_ns / NS_PER_MS));
	}
}

/* Foreign words on their way to a terminal. */
static void make_plain(struct strbuf *text)
{
	for (size_t i = 0; i < text->n; i++)
		if ((unsigned char)text->at[i] < ' ' && text->at[i] != '\n' && text->at[i] != '\t')
			text->at[i] = '?';
	while (text->n && text->at[text->n - 1] == '\n')
		text->at[--text->n] = '\0';
}

/* Whether a line looks like `FILE:LINE: …`. */
static bool has_mistake(const char *text)
{
	for (const char *colon = strchr(text, ':'); colon; colon = strchr(colon + 1, ':')) {
		size_t digits = strspn(colon + 1, "0123456789");

		if (digits && strncmp(colon + 1 + digits, ": ", 2) == 0)
			return true;
	}
	return false;
}

/* It ended: was that a listing? */
static struct error *judge_end(struct child *child, int status)
{
	const char *said;

	make_plain(&child->err.text);
	said = strbuf_str(&child->err.text);
	if (WIFSIGNALED(status))
		return harness_error(HARNESS_LISTING, 0,
				     "%s was killed by signal %d (%s) while it "
				     "listed its tests%s%s",
				     child->path, WTERMSIG(status), strsignal(WTERMSIG(status)),
				     *said ? ":\n" : "", said);
	if (WEXITSTATUS(status) == 2 && has_mistake(said))
		return harness_error(HARNESS_MISTAKES, 0, "%s declares tests wrongly:\n%s%s",
				     child->path, said, child->err.overflowed ? "\n…" : "");
	if (WEXITSTATUS(status) != 0)
		return harness_error(
			HARNESS_NOT_TESTS, 0,
			"%s is not a ktstr test binary: it ended with %d when asked for "
			"its tests%s%.*s",
			child->path, WEXITSTATUS(status), *said ? ": " : "",
			(int)strcspn(said, "\n"), said);
	return NULL;
}

static struct error *run(struct child *child, const struct harness_listing_bounds *bounds,
			 const struct cancel *cancel)
{
	struct error *err = start(child), *wait_err;
	int status = 0;

	if (err)
		return err;
	err = watch(child, bounds, cancel);
	/* Before it is reaped: its number still names the group. */
	kill(-child->pid, SIGKILL);
	wait_err = spawn_wait(child->pid, &status);
	if (!err)
		err = take_ptr(wait_err);
	error_free(wait_err);
	return err ? err : judge_end(child, status);
}

/*
 * A script names its interpreter; all else must be ELF. execvp() would hand whatever the
 * kernel refuses to a shell, and so run a text or a program of another machine as commands.
 */
static struct error *check_format(const char *path)
{
	_cleanup_elf_image_ struct elf_image *img = NULL;
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	char start[2];
	struct error *err;

	if (fd < 0)
		return harness_error(HARNESS_NOT_TESTS, errno, "%s", path);
	if (pread(fd, start, sizeof(start), 0) == sizeof(start) && memcmp(start, "#!", 2) == 0)
		return NULL;
	err = elf_image_open_fd(fd, path, &img);
	if (err)
		return error_recast(err, &harness_error_domain, HARNESS_NOT_TESTS);
	if (elf_image_machine(img) != EM_X86_64)
		return harness_error(HARNESS_NOT_TESTS, 0,
				     "%s is a program for another architecture", path);
	return NULL;
}

static struct error *find_binary(const char *binary, char **ret)
{
	_cleanup_free_ char *path = realpath(binary, NULL);
	struct error *err;
	struct stat st;

	if (!path || stat(path, &st) < 0)
		return harness_error(HARNESS_NOT_TESTS, errno, "%s", binary);
	if (!S_ISREG(st.st_mode))
		return harness_error(HARNESS_NOT_TESTS, 0, "%s is not a file", binary);
	if (access(path, X_OK) < 0)
		return harness_error(HARNESS_NOT_TESTS, errno, "%s cannot be executed", binary);
	err = check_format(path);
	if (!err)
		*ret = take_ptr(path);
	return err;
}

struct error *harness_listing_read(const char *binary, const struct harness_listing_bounds *bounds,
				   const struct cancel *cancel, struct exchange_declared_suite *ret,
				   struct strbuf *ret_text)
{
	static const struct harness_listing_bounds default_bounds = {
		.timeout_ns = HARNESS_LIMIT_LISTING_NS,
		.output_bytes = HARNESS_LIMIT_LISTING_BYTES,
	};
	_cleanup_free_ char *path = NULL;
	_cleanup_(child_deinit) struct child child = {
		.pidfd = -1,
		.out = { .fd = -1 },
		.err = { .fd = -1, .limit = HARNESS_LIMIT_MISTAKES_BYTES },
	};
	struct exchange_declared_suite suite = { 0 };
	struct error *err = find_binary(binary, &path);

	if (err)
		return err;
	bounds = bounds ? bounds : &default_bounds;
	child.path = path;
	child.out.limit = bounds->output_bytes;
	err = run(&child, bounds, cancel);
	if (!err)
		err = harness_listing_parse(strbuf_str(&child.out.text), child.out.text.n, path,
					    &suite);
	if (err)
		return err;
	suite.name = xstrdup(exchange_declared_base_name(path));
	suite.path = take_ptr(path);
	*ret = suite;
	if (ret_text)
		strbuf_append_bytes(ret_text, child.out.text.at, child.out.text.n);
	return NULL;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(((const struct exchange_declared_test *)a)->name,
		      ((const struct exchange_declared_test *)b)->name);
}

static struct error *sort_tests(struct exchange_declared_suite *suite)
{
	if (suite->tests.n == 0)
		return NULL;
	qsort(suite->tests.at, suite->tests.n, sizeof(*suite->tests.at), compare_names);
	for (size_t i = 1; i < suite->tests.n; i++)
		if (compare_names(&suite->tests.at[i - 1], &suite->tests.at[i]) == 0)
			return harness_error(HARNESS_LISTING, 0, "two tests are called %s",
					     suite->tests.at[i].name);
	return NULL;
}

static struct error *check_api(const struct json_value *root, const char *label)
{
	uint64_t api;

	if (!json_get_u64(json_find(root, "ktstr_api"), &api))
		return harness_error(HARNESS_NOT_TESTS, 0,
				     "%s is not a ktstr test binary: its list has no ktstr_api",
				     label);
	if (api == KTSTR_API_VERSION)
		return NULL;
	return harness_error(HARNESS_API, 0, "this ktstr has API %d, %s has API %llu: %s%s",
			     KTSTR_API_VERSION, label, (unsigned long long)api,
			     api < KTSTR_API_VERSION ? "rebuild " : "a newer ktstr is needed",
			     api < KTSTR_API_VERSION ? label : "");
}

struct error *harness_listing_parse(const char *text, size_t n, const char *label,
				    struct exchange_declared_suite *ret)
{
	_cleanup_exchange_declared_suite_ struct exchange_declared_suite suite = { 0 };
	_cleanup_json_doc_ struct json_doc *doc = NULL;
	const struct json_value *root;
	struct error *err;

	if (n > HARNESS_LIMIT_LISTING_BYTES)
		return harness_error(HARNESS_LISTING, 0, "%s lists more than %d bytes", label,
				     HARNESS_LIMIT_LISTING_BYTES);
	err = json_doc_parse(text, n, "what it lists", &doc);
	if (err)
		return error_wrap(error_recast(err, &harness_error_domain, HARNESS_NOT_TESTS),
				  "%s is not a ktstr test binary", label);
	root = json_doc_root(doc);
	err = check_api(root, label);
	if (err)
		return err;
	err = error_recast(json_rows_read(&exchange_listing_table, root, "", &suite),
			   &harness_error_domain, HARNESS_LISTING);
	for (size_t i = 0; i < suite.tests.n; i++)
		exchange_declared_test_complete(&suite.tests.at[i]);
	if (!err)
		err = sort_tests(&suite);
	if (err)
		return error_wrap(err, "what %s lists", label);
	*ret = suite;
	suite = (struct exchange_declared_suite){ 0 };
	return NULL;
}
