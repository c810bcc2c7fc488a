// SPDX-License-Identifier: LGPL-2.1-or-later
/* What a record says from the start. */
#include "result/run_record_text.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/alloc.h"

char *run_record_time(uint64_t unix_sec)
{
	time_t sec = (time_t)unix_sec;
	char text[32];
	struct tm tm;

	if (!gmtime_r(&sec, &tm) || !strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm))
		return xstrdup("");
	return xstrdup(text);
}

char *run_record_run_id(const struct run_record_stamp *stamp)
{
	_cleanup_free_ char *at = run_record_time(stamp->unix_sec);

	return xasprintf("%s-%llu-%u", at, (unsigned long long)stamp->pid, stamp->counter);
}

/* Members that the reference's readers expect even without a value. */
static void add_string_or_null(struct json_writer *w, const char *key, const char *text)
{
	json_key(w, key);
	if (text)
		json_write_string(w, text);
	else
		json_write_null(w);
}

static void add_texts(struct json_writer *w, const char *key, const char *prefix,
		      const struct run_record_texts *texts)
{
	json_key(w, key);
	json_begin_array(w);
	for (size_t i = 0; i < texts->n; i++) {
		_cleanup_free_ char *text = xasprintf("%s%s", prefix, texts->at[i]);

		json_write_string(w, text);
	}
	json_end_array(w);
}

static void add_file_members(struct json_writer *w, const struct run_record_file *file)
{
	json_add_string(w, "name", file->name);
	json_add_string(w, "path", file->path);
	json_add_string(w, "hash", file->hash);
	json_add_string(w, "build_id", file->build_id);
}

static void add_rerun(struct json_writer *w, const struct run_record_head *h)
{
	json_key(w, "rerun");
	json_begin_object(w);
	if (h->binary.path) {
		json_key(w, "binary");
		json_begin_object(w);
		add_file_members(w, &h->binary);
		json_end_object(w);
	}
	json_add_string(w, "test", h->test);
	json_add_string(w, "topology", h->topology);
	if (h->memory_bytes)
		json_add_u64(w, "memory_bytes", h->memory_bytes);
	json_add_string(w, "kernel_id", h->kernel.id);
	json_add_string(w, "kernel_build_id", h->kernel.build_id);
	add_texts(w, "kernel_args", "", &h->kernel_args);
	add_texts(w, "scheduler_argv", "", &h->scheduler_argv);
	json_key(w, "files");
	json_begin_array(w);
	for (size_t i = 0; i < h->n_files; i++) {
		json_begin_object(w);
		add_file_members(w, &h->files[i]);
		json_end_object(w);
	}
	json_end_array(w);
	json_add_string(w, "command", h->command);
	json_end_object(w);
}

static void add_kernel(struct json_writer *w, const struct run_record_head *h)
{
	add_string_or_null(w, "kernel_version", h->kernel.release);
	add_string_or_null(w, "kernel_commit", h->kernel.commit);
	json_key(w, "kernel");
	json_begin_object(w);
	json_add_string(w, "id", h->kernel.id);
	json_add_string(w, "release", h->kernel.release);
	json_add_string(w, "build_id", h->kernel.build_id);
	json_add_string(w, "source", h->kernel.source);
	json_end_object(w);
}

static void add_run(struct json_writer *w, const struct run_record_stamp *stamp)
{
	_cleanup_free_ char *at = run_record_time(stamp->unix_sec);
	_cleanup_free_ char *run_id = run_record_run_id(stamp);
	const char *ci = getenv("KTSTR_CI");

	json_add_string(w, "timestamp", at);
	json_add_string(w, "run_id", run_id);
	json_add_string(w, "run_source", ci && *ci ? "ci" : "local");
	json_key(w, "runner");
	json_begin_object(w);
	json_add_u64(w, "pid", stamp->pid);
	if (stamp->start_time_jiffies)
		json_add_u64(w, "start_time_jiffies", stamp->start_time_jiffies);
	json_end_object(w);
}

void run_record_format_head(const struct run_record_head *h, const struct run_record_stamp *stamp,
			    struct strbuf *into)
{
	_cleanup_strbuf_ struct strbuf text = STRBUF_INIT;
	struct json_writer w = json_writer_to(&text, JSON_PRETTY);

	json_begin_object(&w);
	json_add_string(&w, "test_name", h->test);
	json_add_string(&w, "variant_id", h->id);
	json_add_string(&w, "name", h->name);
	json_add_string(&w, "suite", h->suite);
	json_add_string(&w, "source", h->source);
	json_add_string(&w, "topology", h->topology);
	if (h->memory_bytes)
		json_add_u64(&w, "memory_bytes", h->memory_bytes);
	json_add_string(&w, "scheduler", h->scheduler);
	add_string_or_null(&w, "scheduler_commit", h->scheduler_commit);
	add_string_or_null(&w, "project_commit", h->project_commit);
	add_string_or_null(&w, "payload", h->payload);
	add_texts(&w, "sysctls", "sysctl.", &h->sysctls);
	add_texts(&w, "kargs", "", &h->kernel_args);
	add_kernel(&w, h);
	add_run(&w, stamp);
	json_add_string(&w, "work_type", h->work_type);
	add_rerun(&w, h);
	if (h->host) {
		json_key(&w, "host");
		host_facts_write(h->host, &w);
	}
	/* The brace and what would end the object are not part of the members. */
	strbuf_append_bytes(into, text.at + 1, text.n - 1);
}
