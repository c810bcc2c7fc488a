// SPDX-License-Identifier: LGPL-2.1-or-later
#include "harness/runner.h"

#include <pthread.h>
#include <signal.h>

#include "base/clock.h"
#include "harness/job.h"
#include "vm/image/image.h"
#include "vm/qemu/qemu_binary.h"

enum { TICK_MS = 100, THREADS_LIMIT = 256 };

enum event_kind { EVENT_STARTED, EVENT_PROGRESS, EVENT_FINISHED };

struct event {
	enum event_kind kind;
	size_t index;
	const char *what;	 /* static */
	struct harness_job *job; /* EVENT_FINISHED: now the receiver's */
};

struct runner {
	const struct harness_plan *plan;
	const struct harness_runner_options *options;
	const struct cancel *cancel;
	struct harness_job_setting setting;
	struct host_facts host;
	struct vm_qemu_binary *qemu; /* NULL: not found, which each job will tell */
	char tools_hash[HARNESS_VARIANT_ID_CHARS + 1];

	pthread_mutex_t lock;
	pthread_cond_t changed; /* of anything below */
	size_t next;		/* the first variant that is not taken */
	size_t n_preparing, n_running;
	size_t n_busy, n_measuring; /* jobs that run; those of them that compare times */
	size_t n_waiting;   /* that compare times, and wait until nothing runs beside them */
	size_t n_idle;	    /* threads that could run a job and have none */
	size_t n_preparers; /* threads that still prepare */
	size_t n_unfreed;   /* jobs that ended and still have their guests */
	size_t n_keeping;   /* guests that are kept, or will be in a moment */
	VEC(struct harness_job *) ready;
	VEC(struct event) events;
	/* Only for the thread that reports. */
	struct kept_guest {
		struct vm *vm;
		uint64_t until_ns;
	} kept[HARNESS_LIMIT_RUNNER_KEPT];
	size_t n_kept;
};

static void post(struct runner *r, struct event event)
{
	pthread_mutex_lock(&r->lock);
	vec_push(&r->events, event);
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
}

static void on_template(void *context, size_t index)
{
	post(context, (struct event){ .kind = EVENT_PROGRESS,
				      .index = index,
				      .what = "boots the first machine of its kind" });
}

static void on_stage(void *context, size_t index, enum wire_stage stage)
{
	post(context, (struct event){ .kind = EVENT_PROGRESS,
				      .index = index,
				      .what = wire_stage_name(stage) });
}

static bool may_keep_guest(void *context)
{
	struct runner *r = context;
	bool may;

	pthread_mutex_lock(&r->lock);
	may = r->n_keeping < HARNESS_LIMIT_RUNNER_KEPT;
	r->n_keeping += may;
	pthread_mutex_unlock(&r->lock);
	return may;
}

static bool over(const struct runner *r)
{
	return r->next == r->plan->variants.n || cancel_requested(r->cancel);
}

/* The lock is held. False: there is nothing left to take. */
static bool take_next(struct runner *r, size_t *ret)
{
	if (over(r))
		return false;
	*ret = r->next++;
	return true;
}

static struct harness_job *open_job(struct runner *r, size_t index)
{
	struct harness_job *job = xnew(struct harness_job);

	harness_job_open(job, &r->setting, index);
	return job;
}

/*
 * The lock is held. Not ahead of time while time is measured: on a small host a guest that comes up
 * beside it would disturb the result. But a job that a runner waits for was asked to run beside it.
 */
static bool may_prepare(const struct runner *r)
{
	size_t prepared = r->ready.n + r->n_preparing;

	if (r->n_measuring + r->n_waiting > 0)
		return !r->options->alone && prepared < r->n_idle;
	return prepared < r->options->ahead;
}

/* Prepares guests for others to run. */
static void *preparer_main(void *context)
{
	struct runner *r = context;
	size_t index;

	pthread_mutex_lock(&r->lock);
	for (;;) {
		struct harness_job *job;

		while (!over(r) && !may_prepare(r))
			pthread_cond_wait(&r->changed, &r->lock);
		if (!take_next(r, &index))
			break;
		r->n_preparing++;
		pthread_mutex_unlock(&r->lock);
		job = open_job(r, index);
		harness_job_prepare(job, r->cancel);
		pthread_mutex_lock(&r->lock);
		r->n_preparing--;
		vec_push(&r->ready, job);
		pthread_cond_broadcast(&r->changed);
	}
	r->n_preparers--;
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

/*
 * The lock is held. The next job to run: a prepared one, or opened here if there is no preparer.
 * NULL: none.
 */
static struct harness_job *take_job(struct runner *r)
{
	struct harness_job *job;
	size_t index;

	/* Reporting a job frees its guest: while reports are stuck, no new guest is started. */
	while (r->n_unfreed > r->options->jobs && !cancel_requested(r->cancel))
		pthread_cond_wait(&r->changed, &r->lock);
	r->n_idle++;
	pthread_cond_broadcast(&r->changed);
	while (r->ready.n == 0 && r->n_preparers > 0)
		pthread_cond_wait(&r->changed, &r->lock);
	r->n_idle--;
	if (r->ready.n == 0) {
		if (!take_next(r, &index))
			return NULL;
		pthread_mutex_unlock(&r->lock);
		job = open_job(r, index);
		pthread_mutex_lock(&r->lock);
		return job;
	}
	job = r->ready.at[0];
	for (size_t i = 1; i < r->ready.n; i++)
		r->ready.at[i - 1] = r->ready.at[i];
	r->ready.n--;
	return job;
}

/* The lock is held. A job that compares times goes before jobs that begin later. */
static void wait_for_peace(struct runner *r, bool measures)
{
	if (!r->options->alone)
		return;
	r->n_waiting += measures;
	while (!cancel_requested(r->cancel) &&
	       (measures ? r->n_busy + r->n_preparing > 0 : r->n_measuring + r->n_waiting > 0))
		pthread_cond_wait(&r->changed, &r->lock);
	r->n_waiting -= measures;
}

static void *runner_main(void *context)
{
	struct runner *r = context;
	struct harness_job *job;

	pthread_mutex_lock(&r->lock);
	while ((job = take_job(r)) != NULL) {
		size_t index = job->index;
		bool measures = harness_job_measures_time(job);

		wait_for_peace(r, measures);
		r->n_busy++;
		r->n_measuring += measures;
		vec_push(&r->events, (struct event){ .kind = EVENT_STARTED, .index = index });
		pthread_cond_broadcast(&r->changed);
		pthread_mutex_unlock(&r->lock);
		harness_job_run(job, r->cancel);
		pthread_mutex_lock(&r->lock);
		r->n_busy--;
		r->n_measuring -= measures;
		r->n_unfreed++;
		vec_push(&r->events,
			 (struct event){ .kind = EVENT_FINISHED, .index = index, .job = job });
		pthread_cond_broadcast(&r->changed);
	}
	r->n_running--;
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
	return NULL;
}

static void tell(const struct runner *r, const struct harness_runner_events *to,
		 const struct event *event)
{
	switch (event->kind) {
	case EVENT_STARTED:
		to->started(to->context, event->index, &r->plan->variants.at[event->index]);
		break;
	case EVENT_PROGRESS:
		to->progress(to->context, event->index, event->what);
		break;
	case EVENT_FINISHED:
		to->finished(to->context, event->index, &event->job->outcome);
		break;
	}
}

static void keep_guest(struct runner *r, struct harness_job *job)
{
	if (!job->keeps_guest)
		return;
	r->kept[r->n_kept++] = (struct kept_guest){
		.vm = take_ptr(job->vm),
		.until_ns = clock_monotonic_ns() + r->options->keep_guest_sec * NS_PER_SEC,
	};
}

/* Frees kept guests whose time is over or that have ended; all of them on cancellation. */
static void let_guests_go(struct runner *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_kept; i++) {
		struct kept_guest *kept = &r->kept[i];

		if (cancel_requested(r->cancel) || clock_monotonic_ns() >= kept->until_ns ||
		    vm_has_ended(kept->vm))
			vm_free(kept->vm);
		else
			r->kept[n++] = *kept;
	}
	if (n < r->n_kept) {
		pthread_mutex_lock(&r->lock);
		r->n_keeping -= r->n_kept - n;
		pthread_mutex_unlock(&r->lock);
	}
	r->n_kept = n;
}

/* Reports all events until every thread has ended. */
static void watch(struct runner *r, const struct harness_runner_events *to)
{
	bool working = true;

	while (working) {
		struct timespec until;
		VEC(struct event) events = VEC_INIT;

		pthread_mutex_lock(&r->lock);
		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_nsec += TICK_MS * (long)NS_PER_MS;
		until.tv_sec += until.tv_nsec / (long)NS_PER_SEC;
		until.tv_nsec %= (long)NS_PER_SEC;
		if (r->events.n == 0 && r->n_running + r->n_preparers + r->n_kept > 0)
			pthread_cond_timedwait(&r->changed, &r->lock, &until);
		for (size_t i = 0; i < r->events.n; i++)
			vec_push(&events, r->events.at[i]);
		vec_clear(&r->events);
		working = r->n_running + r->n_preparers + r->n_kept > 0 || events.n > 0;
		/* Wakes waiting threads so that they see the cancellation. */
		if (cancel_requested(r->cancel))
			pthread_cond_broadcast(&r->changed);
		pthread_mutex_unlock(&r->lock);
		for (size_t i = 0; i < events.n; i++) {
			tell(r, to, &events.at[i]);
			if (events.at[i].job) {
				keep_guest(r, events.at[i].job);
				harness_job_deinit(events.at[i].job);
				free(events.at[i].job);
				pthread_mutex_lock(&r->lock);
				r->n_unfreed--;
				pthread_cond_broadcast(&r->changed);
				pthread_mutex_unlock(&r->lock);
			}
		}
		let_guests_go(r);
		to->tick(to->context);
		vec_deinit(&events);
	}
}

/* Signals are for the thread that called us. */
static struct error *start_thread(void *(*work)(void *), struct runner *r, pthread_t *ret)
{
	sigset_t all, old;
	int errnum;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	errnum = pthread_create(ret, NULL, work, r);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return errnum ? base_error(BASE_IO, errnum, "starting a thread") : NULL;
}

/* Starts up to n threads. *count includes all n already; those that failed are subtracted. */
static struct error *start_threads(struct runner *r, size_t n, void *(*work)(void *), size_t *count,
				   pthread_t *threads, size_t *n_threads)
{
	struct error *err = NULL;
	size_t started = 0;

	while (!err && started < n) {
		err = start_thread(work, r, &threads[*n_threads]);
		if (!err) {
			++started;
			++*n_threads;
		}
	}
	pthread_mutex_lock(&r->lock);
	*count -= n - started;
	pthread_cond_broadcast(&r->changed);
	pthread_mutex_unlock(&r->lock);
	return err;
}

/*
 * Runners are started first: a prepared guest without a runner would wait for ever.
 * Fewer threads than asked for still do all the work, also without any preparer.
 */
static struct error *start_all(struct runner *r, size_t jobs, size_t cooks, pthread_t *threads,
			       size_t *n_threads)
{
	struct error *err;

	r->n_running = jobs;
	r->n_preparers = cooks;
	err = start_threads(r, jobs, runner_main, &r->n_running, threads, n_threads);
	if (err && *n_threads == 0) {
		r->n_preparers = 0;
		return err;
	}
	error_free(err);
	error_free(start_threads(r, cooks, preparer_main, &r->n_preparers, threads, n_threads));
	return NULL;
}

static void init_conditions(struct runner *r)
{
	pthread_condattr_t attributes;

	pthread_mutex_init(&r->lock, NULL);
	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&r->changed, &attributes);
	pthread_condattr_destroy(&attributes);
}

/* For records: what a virtual guest gets from its host beside its files. */
static void hash_tools(struct runner *r)
{
	bool counts = false;
	uint64_t hash;

	for (size_t i = 0; i < r->plan->variants.n; i++)
		counts |= r->plan->variants.at[i].clock.kind == VM_CLOCK_VIRTUAL;
	if (counts) {
		/* Without a busybox each job says so. */
		_cleanup_error_ struct error *err = vm_initramfs_hash_tools(NULL, &hash);

		if (!err) {
			harness_format_hash(hash, r->tools_hash);
			r->setting.tools_hash = r->tools_hash;
		}
	}
}

struct error *harness_runner_run(const struct harness_plan *plan,
				 const struct harness_runner_options *options,
				 const struct harness_runner_events *events,
				 const struct cancel *cancel)
{
	struct runner r = {
		.plan = plan,
		.options = options,
		.cancel = cancel,
		.setting = {
			.plan = plan,
			.options = options,
			.may_keep_guest = may_keep_guest,
			.on_template = on_template,
			.on_stage = on_stage,
		},
	};
	pthread_t threads[THREADS_LIMIT * 2];
	size_t n_threads = 0;
	size_t jobs = options->jobs < THREADS_LIMIT ? options->jobs : THREADS_LIMIT;
	size_t cooks = options->ahead < THREADS_LIMIT ? options->ahead : THREADS_LIMIT;
	struct error *err;

	r.setting.context = &r;
	host_facts_read("", &r.host);
	r.setting.host = &r.host;
	error_free(vm_qemu_binary_find(&r.qemu));
	r.setting.qemu_version = r.qemu ? r.qemu->version.text : NULL;
	hash_tools(&r);
	init_conditions(&r);
	err = start_all(&r, jobs, cooks, threads, &n_threads);
	watch(&r, events);
	for (size_t i = 0; i < n_threads; i++)
		pthread_join(threads[i], NULL);
	for (size_t i = 0; i < r.ready.n; i++) {
		harness_job_deinit(r.ready.at[i]);
		free(r.ready.at[i]);
	}
	vec_deinit(&r.ready);
	vec_deinit(&r.events);
	pthread_cond_destroy(&r.changed);
	pthread_mutex_destroy(&r.lock);
	host_facts_deinit(&r.host);
	vm_qemu_binary_free(r.qemu);
	return err;
}
