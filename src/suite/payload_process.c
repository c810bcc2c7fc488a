// SPDX-License-Identifier: LGPL-2.1-or-later
#include "suite/payload.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/wait.h>
#include <time.h>

#include "base/clock.h"
#include "base/spawn.h"

struct suite_payload_process {
	pid_t pid;
	uint64_t from_ns;
	uint64_t deadline_ns; /* 0: none; the keeper's */
	/* Owned by the keeper thread until `ended`, then by the caller that asks for the end. */
	int pidfd, out, err;
	struct suite_payload_end end;

	pthread_t keeper;
	pthread_mutex_t lock; /* for what follows */
	pthread_cond_t changed;
	bool kill_wanted;
	bool reaped; /* the numbers of leader and group may belong to others */
	bool ended;
};

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(take_fd(*fd));
}

/* The lock is held: the leader cannot be reaped in between. */
static void kill_locked(struct suite_payload_process *process)
{
	if (process->reaped)
		return;
	kill(-process->pid, SIGKILL);
	pidfd_send_signal(process->pidfd, SIGKILL, NULL, 0);
}

static void take_stream(struct suite_capture *capture, int *fd)
{
	if (suite_capture_take(capture, *fd, SIZE_MAX) == SUITE_CAPTURE_ENDED)
		close_fd(fd);
}

static int ms_until(uint64_t deadline_ns)
{
	uint64_t now = clock_monotonic_ns(), left_ms;

	if (!deadline_ns)
		return -1;
	if (now >= deadline_ns)
		return 0;
	left_ms = (deadline_ns - now + NS_PER_MS - 1) / NS_PER_MS;
	return left_ms > INT32_MAX ? INT32_MAX : (int)left_ms;
}

static void end_for_lateness(struct suite_payload_process *process)
{
	process->deadline_ns = 0;
	process->end.timed_out = true;
	pthread_mutex_lock(&process->lock);
	kill_locked(process);
	pthread_mutex_unlock(&process->lock);
}

static void keep_until_leader_ended(struct suite_payload_process *process)
{
	for (;;) {
		struct pollfd fds[] = {
			{ .fd = process->pidfd, .events = POLLIN },
			{ .fd = process->out, .events = POLLIN },
			{ .fd = process->err, .events = POLLIN },
		};

		/* Only a lack of memory makes it fail; the descriptors are ours and open. */
		if (poll(fds, ARRAY_SIZE(fds), ms_until(process->deadline_ns)) < 0)
			continue;
		if (fds[0].revents)
			return;
		if (fds[1].revents)
			take_stream(&process->end.out, &process->out);
		if (fds[2].revents)
			take_stream(&process->end.err, &process->err);
		if (process->deadline_ns && clock_monotonic_ns() >= process->deadline_ns)
			end_for_lateness(process);
	}
}

/* Only when the end is asked for: until then pid and process group cannot be reused. */
static void reap(struct suite_payload_process *process)
{
	struct suite_payload_end *end = &process->end;
	_cleanup_error_ struct error *err = NULL;
	int status = 0;
	bool by_sigkill;

	pthread_mutex_lock(&process->lock);
	if (process->reaped) {
		pthread_mutex_unlock(&process->lock);
		return;
	}
	err = spawn_wait(process->pid, &status);
	process->reaped = true;
	end->killed = process->kill_wanted;
	pthread_mutex_unlock(&process->lock);
	end->known = !err;
	end->exit_code = !end->known	       ? INT32_MIN
			 : WIFSIGNALED(status) ? -WTERMSIG(status)
					       : WEXITSTATUS(status);
	/* A signal that came after the end ended nothing. */
	by_sigkill = end->known && end->exit_code == -SIGKILL;
	end->timed_out = end->timed_out && by_sigkill;
	end->killed = end->killed && by_sigkill && !end->timed_out;
}

static void *keeper_main(void *arg)
{
	struct suite_payload_process *process = arg;

	keep_until_leader_ended(process);
	process->end.wall_ns = clock_monotonic_ns() - process->from_ns;
	if (process->out >= 0)
		suite_capture_take_rest(&process->end.out, process->out);
	if (process->err >= 0)
		suite_capture_take_rest(&process->end.err, process->err);
	close_fd(&process->out);
	close_fd(&process->err);
	pthread_mutex_lock(&process->lock);
	process->ended = true;
	pthread_cond_broadcast(&process->changed);
	pthread_mutex_unlock(&process->lock);
	return NULL;
}

static struct error *start_keeper(struct suite_payload_process *process)
{
	sigset_t all, old;
	int errnum;

	/* Signals are for the threads of the test. */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	errnum = pthread_create(&process->keeper, NULL, keeper_main, process);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (errnum)
		return base_error(BASE_IO, errnum, "cannot start the thread that keeps process %d",
				  process->pid);
	return NULL;
}

static struct suite_payload_process *process_new(
	const struct suite_payload_process_request *request)
{
	struct suite_payload_process *process = xnew(struct suite_payload_process);
	pthread_condattr_t attr;

	process->pidfd = process->out = process->err = -1;
	suite_capture_init(&process->end.out, request->capture_bytes);
	suite_capture_init(&process->end.err, request->capture_bytes);
	pthread_mutex_init(&process->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&process->changed, &attr);
	pthread_condattr_destroy(&attr);
	return process;
}

static void process_release(struct suite_payload_process *process)
{
	close_fd(&process->pidfd);
	close_fd(&process->out);
	close_fd(&process->err);
	suite_capture_deinit(&process->end.out);
	suite_capture_deinit(&process->end.err);
	pthread_cond_destroy(&process->changed);
	pthread_mutex_destroy(&process->lock);
	free(process);
}

static struct error *spawn_process(struct suite_payload_process *process,
				   const struct suite_payload_process_request *request)
{
	process->from_ns = clock_monotonic_ns();
	if (request->timeout_ms)
		process->deadline_ns = process->from_ns + request->timeout_ms * NS_PER_MS;
	return spawn_piped(&(struct spawn_request){ .argv = request->argv,
						    .env = request->env,
						    .cgroup_procs = request->cgroup_procs,
						    .own_group = true },
			   &process->out, &process->err, &process->pid, &process->pidfd);
}

struct error *suite_payload_process_start(const struct suite_payload_process_request *request,
					  struct suite_payload_process **ret)
{
	struct suite_payload_process *process = process_new(request);
	struct error *err, *unheard;
	int status;

	err = spawn_process(process, request);
	if (err) {
		process_release(process);
		return err;
	}
	err = start_keeper(process);
	if (err) {
		kill_locked(process);
		unheard = spawn_wait(process->pid, &status);
		error_free(unheard);
		process_release(process);
		return err;
	}
	*ret = process;
	return NULL;
}

void suite_payload_process_free(struct suite_payload_process *process)
{
	if (!process)
		return;
	suite_payload_process_kill(process);
	pthread_join(process->keeper, NULL);
	reap(process);
	process_release(process);
}

pid_t suite_payload_process_pid(const struct suite_payload_process *process)
{
	return process->pid;
}

bool suite_payload_process_wait(struct suite_payload_process *process, int timeout_ms)
{
	uint64_t until = clock_monotonic_ns() +
			 (uint64_t)(timeout_ms < 0 ? 0 : timeout_ms) * NS_PER_MS;
	struct timespec at = { .tv_sec = (time_t)(until / NS_PER_SEC),
			       .tv_nsec = (long)(until % NS_PER_SEC) };
	int errnum = 0;
	bool ended;

	pthread_mutex_lock(&process->lock);
	while (!process->ended && errnum != ETIMEDOUT) {
		if (timeout_ms < 0)
			pthread_cond_wait(&process->changed, &process->lock);
		else
			errnum = pthread_cond_timedwait(&process->changed, &process->lock, &at);
	}
	ended = process->ended;
	pthread_mutex_unlock(&process->lock);
	return ended;
}

void suite_payload_process_kill(struct suite_payload_process *process)
{
	pthread_mutex_lock(&process->lock);
	process->kill_wanted = process->kill_wanted || !process->ended;
	kill_locked(process);
	pthread_mutex_unlock(&process->lock);
}

struct suite_payload_end *suite_payload_process_end(struct suite_payload_process *process)
{
	reap(process);
	return &process->end;
}

static bool same_name(const char *a, const char *b)
{
	size_t n = strcspn(a, "=");

	return n == strcspn(b, "=") && memcmp(a, b, n) == 0;
}

static void set(struct suite_payload_env *env, const char *setting)
{
	for (size_t i = 0; i < env->all.n; i++)
		if (same_name(env->all.at[i], setting)) {
			env->all.at[i] = setting;
			return;
		}
	vec_push(&env->all, setting);
}

void suite_payload_env_init(struct suite_payload_env *env, char *const *ours,
			    const char *const *added)
{
	*env = (struct suite_payload_env){ .all = VEC_INIT };
	for (; ours && *ours; ours++)
		vec_push(&env->all, *ours);
	for (; added && *added; added++)
		set(env, *added);
	vec_push(&env->all, NULL);
}

void suite_payload_env_deinit(struct suite_payload_env *env)
{
	vec_deinit(&env->all);
}

const char *suite_payload_env_find(const struct suite_payload_env *env, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = 0; env->all.at[i]; i++)
		if (strncmp(env->all.at[i], name, n) == 0 && env->all.at[i][n] == '=')
			return env->all.at[i] + n + 1;
	return NULL;
}

bool suite_payload_env_is_setting(const char *text)
{
	const char *equals = strchr(text, '=');

	return equals && equals != text;
}

/* As the kernel: longer lines are cut (BINPRM_BUF_SIZE, 256 since 5.1). */
enum { SCRIPT_LINE_BYTES = 256 };

/* The file that exec() would take; false when there is none. */
static bool find_program(const char *program, const char *path, struct strbuf *ret)
{
	while (!strchr(program, '/') && path) {
		size_t n = strcspn(path, ":");

		strbuf_clear(ret);
		strbuf_append_bytes(ret, n ? path : ".", n ? n : 1);
		strbuf_append_char(ret, '/');
		strbuf_append(ret, program);
		if (access(strbuf_str(ret), F_OK) == 0)
			return true;
		path = path[n] ? path + n + 1 : NULL;
	}
	strbuf_clear(ret);
	strbuf_append(ret, program);
	return strchr(program, '/') && access(program, F_OK) == 0;
}

/* The word after "#!"; empty when the file is not a script. */
static void read_interpreter(const char *path, char ret[static SCRIPT_LINE_BYTES])
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n = fd < 0 ? -1 : read(fd, ret, SCRIPT_LINE_BYTES - 1);
	size_t from;

	if (n < 2 || memcmp(ret, "#!", 2) != 0) {
		ret[0] = '\0';
		return;
	}
	ret[n] = '\0';
	from = 2 + strspn(ret + 2, " \t");
	memmove(ret, ret + from, strlen(ret + from) + 1);
	ret[strcspn(ret, " \t\n")] = '\0';
}

void suite_payload_missing_explain(const char *program, const char *path, struct strbuf *into)
{
	_cleanup_strbuf_ struct strbuf found = STRBUF_INIT;
	char interpreter[SCRIPT_LINE_BYTES];

	if (!find_program(program, path, &found)) {
		strbuf_appendf(into, "there is no program %s here: name it in .files of the test",
			       program);
		return;
	}
	read_interpreter(strbuf_str(&found), interpreter);
	if (strchr(interpreter, '\r'))
		strbuf_appendf(into, "%s is a script whose first line ends with a carriage return",
			       strbuf_str(&found));
	else if (interpreter[0])
		strbuf_appendf(
			into,
			"%s is a script and its interpreter %s is not here: name the "
			"interpreter in .files of the test, and begin the script with its path in "
			"the guest",
			strbuf_str(&found), interpreter);
	else
		strbuf_appendf(into,
			       "%s is here, but the loader it asks for is not: link it statically, "
			       "or name it in .files of the test, which brings its libraries",
			       strbuf_str(&found));
}
