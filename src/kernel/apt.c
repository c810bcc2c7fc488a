// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kernel/apt.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/io.h"
#include "base/paths.h"
#include "base/spawn.h"
#include "base/str.h"
#include "kernel/cache.h"
#include "kernel/kernel.h"

enum { FRESH_SEC = 6 * 3600 };

/* private_apt.sh, as a string. */
extern const char ktstr_private_apt_start[];

void kernel_apt_deinit(struct kernel_apt *apt)
{
	free(apt->dir);
	free(apt->conf);
	*apt = (struct kernel_apt){ 0 };
}

static bool is_fresh(const char *stamp)
{
	struct stat st;

	return stat(stamp, &st) == 0 && st.st_mtime <= (time_t)clock_unix_sec() &&
	       (time_t)clock_unix_sec() - st.st_mtime < FRESH_SEC;
}

/* A function of private_apt.sh and its arguments, at most six; `label` is for messages. */
static struct error *run_script(const char *const *words, const char *label,
				const struct kernel_watch *watch)
{
	_cleanup_free_ char *script = xasprintf("%s\n\"$@\"\n", ktstr_private_apt_start);
	const char *argv[12] = { "sh", "-c", script, "private_apt.sh" };

	for (size_t n = 4; *words && n < ARRAY_SIZE(argv) - 1; n++)
		argv[n] = *words++;
	return kernel_run(&(struct kernel_run){ .argv = argv, .label = label }, watch, NULL);
}

struct error *kernel_apt_open(bool sid, bool fresh, const struct kernel_watch *watch,
			      struct kernel_apt *ret)
{
	const char *name = sid ? "with-sid" : "stable";
	_cleanup_kernel_apt_ struct kernel_apt apt = { .dir = paths_cache("kernel-apt") };
	_cleanup_free_ char *stamp = xasprintf("%s/%s.fresh", apt.dir, name);
	struct error *err = paths_make(apt.dir, 0755);

	if (err)
		return err;
	apt.conf = xasprintf("%s/%s.conf", apt.dir, name);
	if (fresh || !is_fresh(stamp)) {
		const char *const words[] = { "private_apt_renew", apt.dir, name,
					      sid ? "sid" : NULL, NULL };
		bool usable = access(stamp, F_OK) == 0;

		kernel_say(watch, "reading package lists");
		err = run_script(words, "apt-get", watch);
		if (err && (!usable || error_is(err, &base_error_domain, BASE_CANCELLED)))
			return err;
		/* Without a network, lists that we have are better than none. */
		if (err)
			kernel_say(watch, "updating failed (%s); using older package lists",
				   error_message(err));
		error_free(err);
	}
	*ret = apt;
	apt = (struct kernel_apt){ 0 };
	return NULL;
}

static const char **join_words(const char *const *first, size_t n_first, const char *const *more,
			       size_t n_more)
{
	const char **argv = xcalloc(n_first + n_more + 1, sizeof(*argv));

	memcpy(argv, first, n_first * sizeof(*argv));
	if (n_more)
		memcpy(argv + n_first, more, n_more * sizeof(*argv));
	return argv;
}

struct error *kernel_apt_cache(const struct kernel_apt *apt, const struct kernel_watch *watch,
			       const char *verb, const char *const *names, size_t n,
			       struct strbuf *out)
{
	const char *const first[] = { "apt-cache", "-c", apt->conf, verb };
	_cleanup_free_ const char **argv = join_words(first, ARRAY_SIZE(first), names, n);

	return kernel_run(&(struct kernel_run){ .argv = argv }, watch, out);
}

struct error *kernel_apt_download(const struct kernel_apt *apt, const struct kernel_watch *watch,
				  const char *const *words, size_t n, uint64_t total_bytes,
				  const char *what, const char *directory)
{
	const char *const first[] = { "apt-get",	  "-c",	     apt->conf, "-q", "-o",
				      "APT::Status-Fd=3", "download" };
	_cleanup_free_ const char **argv = join_words(first, ARRAY_SIZE(first), words, n);

	return kernel_run(
		&(struct kernel_run){
			.argv = argv, .cwd = directory, .what = what, .total_bytes = total_bytes },
		watch, NULL);
}

enum { POLL_MS = 200, CHUNK_BYTES = 16384, TERM_GRACE_MS = 3000, COMPLAINT_CHARS = 400 };

/* apt shows the status of one line at a time; a longer one is none of apt's. */
struct status {
	char line[512];
	size_t n;
};

struct running {
	const struct kernel_run *run;
	const struct kernel_watch *watch;
	struct strbuf *out;
	struct status status;
};

bool kernel_run_parse_status(const char *line, uint32_t *ret_hundredths)
{
	struct slice rest = slice_of(line), part;
	uint64_t percent;

	if (!slice_take_until(&rest, ':', &part) || !slice_equal(part, "dlstatus") ||
	    !slice_take_until(&rest, ':', &part) || !slice_take_u64(&rest, &percent) ||
	    percent > 999)
		return false;
	percent *= 100;
	/* The separator is the locale's. */
	if (rest.n && (rest.at[0] == '.' || rest.at[0] == ',')) {
		for (uint32_t i = 1, unit = 10; unit && i < rest.n; i++, unit /= 10) {
			if (rest.at[i] < '0' || rest.at[i] > '9')
				break;
			percent += unit * (uint32_t)(rest.at[i] - '0');
		}
	}
	*ret_hundredths = percent > 10000 ? 10000 : (uint32_t)percent;
	return true;
}

static void take_status(struct running *r, const char *bytes, size_t n)
{
	struct status *s = &r->status;

	for (size_t i = 0; i < n; i++) {
		uint32_t hundredths;

		if (bytes[i] != '\n') {
			if (s->n < sizeof(s->line) - 1)
				s->line[s->n++] = bytes[i];
			continue;
		}
		s->line[s->n] = 0;
		s->n = 0;
		if (r->run->total_bytes && r->watch && r->watch->progress &&
		    kernel_run_parse_status(s->line, &hundredths))
			r->watch->progress(r->watch->context, r->run->what,
					   r->run->total_bytes / 10000 * hundredths,
					   r->run->total_bytes);
	}
}

/* False when the other end is closed. */
static bool drain(struct running *r, int fd, bool is_status)
{
	char chunk[CHUNK_BYTES];
	ssize_t n = read(fd, chunk, sizeof(chunk));

	if (n <= 0)
		return n < 0 && (errno == EINTR || errno == EAGAIN);
	if (is_status)
		take_status(r, chunk, (size_t)n);
	else if (r->out && r->out->n < KERNEL_LIMIT_APT_BYTES)
		strbuf_append_bytes(r->out, chunk, (size_t)n);
	return true;
}

/* Its group: apt's helpers do the downloading. */
static void end_child(pid_t pid, int pidfd)
{
	struct pollfd ended = { .fd = pidfd, .events = POLLIN };

	kill(-pid, SIGTERM);
	if (poll(&ended, 1, TERM_GRACE_MS) <= 0)
		kill(-pid, SIGKILL);
}

static struct error *follow(struct running *r, pid_t pid, int pidfd, int out, int status)
{
	struct pollfd polled[] = {
		{ .fd = out, .events = POLLIN },
		{ .fd = status, .events = POLLIN },
		{ .fd = pidfd, .events = POLLIN },
	};

	/* Pipes may outlive the child in the hands of its helpers; its end is what counts. */
	for (;;) {
		struct error *err = cancel_error(r->watch ? r->watch->cancel : NULL,
						 r->run->argv[0]);

		if (err) {
			end_child(pid, pidfd);
			return err;
		}
		if (poll(polled, ARRAY_SIZE(polled), POLL_MS) < 0)
			continue;
		if (polled[0].revents && !drain(r, out, false))
			polled[0].fd = -1;
		if (polled[1].revents && !drain(r, status, true))
			polled[1].fd = -1;
		if (polled[2].revents && !(polled[0].revents & POLLIN))
			return NULL;
	}
}

/* The error of apt: lines that begin with "E:", else the last line. */
static char *last_complaint(int fd)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	char *found = NULL, *last = NULL, *save = NULL;

	if (lseek(fd, 0, SEEK_SET) < 0)
		return NULL;
	error_free(io_read_fd(fd, "complaints", KERNEL_LIMIT_APT_BYTES, &text));
	if (!text.n)
		return NULL;
	for (char *line = strtok_r(text.at, "\n", &save); line;
	     line = strtok_r(NULL, "\n", &save)) {
		last = line;
		if (!found && str_starts_with(line, "E: "))
			found = line + 3;
	}
	if (!found)
		found = last;
	return found ? xstrndup(found, COMPLAINT_CHARS) : NULL;
}

static struct error *judge(const struct kernel_run *run, int status, int complaints)
{
	const char *label = run->label ? run->label : run->argv[0];
	_cleanup_free_ char *complaint = NULL;

	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return NULL;
	complaint = last_complaint(complaints);
	if (WIFSIGNALED(status))
		return kernel_error(KERNEL_APT, 0, "%s was ended by signal %d", label,
				    WTERMSIG(status));
	return kernel_error(KERNEL_APT, 0, "%s exited with status %d: %s", label,
			    WEXITSTATUS(status), complaint ? complaint : "no reason given");
}

struct error *kernel_run(const struct kernel_run *run, const struct kernel_watch *watch,
			 struct strbuf *out)
{
	struct running r = { .run = run, .watch = watch, .out = out };
	_cleanup_close_ int out_read = -1, out_write = -1, status_read = -1, status_write = -1;
	_cleanup_close_ int complaints = memfd_create("complaints", MFD_CLOEXEC);
	_cleanup_close_ int pidfd = -1;
	struct error *err, *wait_err;
	int ends[2], status;
	pid_t pid;

	if (complaints < 0 || pipe2(ends, O_CLOEXEC) < 0)
		return base_error(BASE_IO, errno, "pipe for %s", run->argv[0]);
	out_read = ends[0];
	out_write = ends[1];
	if (pipe2(ends, O_CLOEXEC) < 0)
		return base_error(BASE_IO, errno, "pipe for %s", run->argv[0]);
	status_read = ends[0];
	status_write = ends[1];
	err = spawn_child(
		&(struct spawn_request){
			.argv = run->argv,
			.fds = (const struct spawn_fd[]){ { out_write, 1 },
							  { complaints, 2 },
							  { status_write, 3 } },
			.n_fds = 3,
			.cwd = run->cwd,
			.own_group = true,
		},
		&pid, &pidfd);
	if (err)
		return err;
	close(take_fd(out_write));
	close(take_fd(status_write));
	err = follow(&r, pid, pidfd, out_read, status_read);
	wait_err = spawn_wait(pid, &status);
	if (err || wait_err) {
		error_free(err ? wait_err : NULL);
		return err ? err : wait_err;
	}
	return judge(run, status, complaints);
}

struct error *kernel_unpack_begin(struct kernel_unpack *ret)
{
	struct kernel_unpack unpack = { 0 };
	struct error *err = kernel_store_begin(&unpack.store);

	if (err)
		return err;
	unpack.debs = xasprintf("%s/debs", unpack.store.work);
	unpack.tree = xasprintf("%s/tree", unpack.store.work);
	err = paths_make(unpack.debs, 0755);
	if (!err)
		err = paths_make(unpack.tree, 0755);
	if (err) {
		kernel_unpack_deinit(&unpack);
		return err;
	}
	*ret = unpack;
	return NULL;
}

void kernel_unpack_deinit(struct kernel_unpack *unpack)
{
	kernel_store_deinit(&unpack->store);
	free(unpack->debs);
	free(unpack->tree);
	unpack->debs = unpack->tree = NULL;
}

/* The directory of modules is that of the release, wherever the packages have it. */
static char *find_modules(const struct kernel_unpack *unpack, const char *release)
{
	static const char *const places[] = { "usr/lib/modules", "lib/modules" };

	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		_cleanup_free_ char *dir = xasprintf("%s/%s/%s", unpack->tree, places[i], release);
		_cleanup_free_ char *inside = xasprintf("%s/kernel", dir);

		if (access(inside, F_OK) == 0)
			return take_ptr(dir);
	}
	return NULL;
}

static struct error *install(struct kernel_unpack *unpack, const char *image_path,
			     const struct kernel_parcel *known, bool only_usable,
			     struct kernel **ret)
{
	_cleanup_free_ char *config = xasprintf("%s/config", unpack->store.work);
	_cleanup_free_ char *modules = find_modules(unpack, known->label);
	_cleanup_strbuf_ struct strbuf file = STRBUF_INIT;
	_cleanup_kernel_image_ struct kernel_image *image = NULL;
	_cleanup_kernel_check_ struct kernel_check check = { 0 };
	struct kernel_parcel parcel = *known;
	struct error *err = io_read_file(image_path, KERNEL_LIMIT_FILE_BYTES, &file);

	if (err)
		return err;
	parcel.config_path = access(config, F_OK) == 0 ? config : NULL;
	parcel.modules_dir = modules;
	parcel.file = (struct bytes){ (const uint8_t *)strbuf_str(&file), file.n };
	err = kernel_image_parse(parcel.file, known->label, &image);
	if (!err && only_usable) {
		err = kernel_check_btf(image->btf, known->label, &check);
		if (!err && check.verdict != KERNEL_SCX_USABLE)
			err = kernel_error(KERNEL_NO_SCX, 0,
					   "kernel %s cannot be used for sched_ext: %s",
					   known->label, check.reason);
	}
	return err ? err : kernel_store_commit(&unpack->store, image, &parcel, ret);
}

struct error *kernel_unpack_install(struct kernel_unpack *unpack, const struct kernel_parcel *known,
				    bool only_usable, const struct kernel_watch *watch,
				    struct kernel **ret)
{
	const char *const words[] = { "private_apt_unpack", unpack->store.work, NULL };
	_cleanup_free_ char *image = xasprintf("%s/image", unpack->store.work);
	struct error *err;

	kernel_say(watch, "unpacking and checking %s", known->label);
	err = run_script(words, "dpkg-deb", watch);
	if (err)
		return err;
	if (access(image, F_OK) < 0)
		return kernel_error(KERNEL_NOT_IN_REACH, 0, "the packages of %s contain no vmlinuz",
				    known->label);
	return install(unpack, image, known, only_usable, ret);
}
