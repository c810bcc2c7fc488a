// SPDX-License-Identifier: LGPL-2.1-or-later
#include "bpfload/bpfload.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/slice.h"

DEFINE_ERROR_DOMAIN(bpfload, BPFLOAD, BPFLOAD_ERRORS);

struct bpfload {
	const char *name;
	struct bpf_object *object;
	struct bpf_link *link; /* of the iterator that was read last */
	struct bpf_program *linked;
	void *buffer;
	size_t n_buffer;
};

static const char kernel_btf[] = "/sys/kernel/btf/vmlinux";

void bpfload_free(struct bpfload *load)
{
	if (!load)
		return;
	bpf_link__destroy(load->link);
	bpf_object__close(load->object);
	free(load->buffer);
	free(load);
}

/* EACCES is also what the verifier says of a program; EPERM is about us. */
static struct error *load_error(const char *name, int errnum, const struct strbuf *log)
{
	_cleanup_strbuf_ struct strbuf tail = STRBUF_INIT;

	if (errnum == EPERM)
		return bpfload_error(BPFLOAD_PERMISSION, errnum,
				     "%s: loading BPF needs CAP_BPF and CAP_PERFMON, or root",
				     name);
	bpfload_log_tail(strbuf_str(log), log->n, &tail);
	return bpfload_error(BPFLOAD_REFUSED, errnum, "%s: %s", name,
			     tail.n ? strbuf_str(&tail) : "no reason given");
}

static struct error *open_and_load(struct bpfload *load, const void *bytes, size_t n,
				   struct strbuf *log)
{
	LIBBPF_OPTS(bpf_object_open_opts, options, .object_name = load->name);
	_cleanup_strbuf_ struct strbuf tail = STRBUF_INIT;
	int r;

	load->object = bpf_object__open_mem(bytes, n, &options);
	if (!load->object) {
		r = errno;
		bpfload_log_tail(strbuf_str(log), log->n, &tail);
		return bpfload_error(BPFLOAD_OBJECT, r, "%s: %s", load->name,
				     tail.n ? strbuf_str(&tail) : "not a BPF object");
	}
	r = bpf_object__load(load->object);
	return r ? load_error(load->name, -r, log) : NULL;
}

struct error *bpfload_open(const char *name, const void *object, size_t n_bytes,
			   struct bpfload **ret)
{
	_cleanup_strbuf_ struct strbuf log = STRBUF_INIT;
	_cleanup_bpfload_ struct bpfload *load = NULL;
	struct error *err;

	if (access(kernel_btf, R_OK) < 0)
		return bpfload_error(errno == EACCES ? BPFLOAD_PERMISSION : BPFLOAD_NO_BTF, errno,
				     "%s: %s", name, kernel_btf);
	load = xnew(struct bpfload);
	load->name = name;
	bpfload_log_begin(&log);
	err = open_and_load(load, object, n_bytes, &log);
	bpfload_log_end();
	if (err)
		return err;
	load->n_buffer = BPFLOAD_READ_PAGES * (size_t)sysconf(_SC_PAGESIZE);
	load->buffer = xcalloc(1, load->n_buffer);
	*ret = take_ptr(load);
	return NULL;
}

/* Each descriptor made from a link is a run of its own; the link itself is made once. */
static struct error *start(struct bpfload *load, const char *program, int *ret_fd)
{
	struct bpf_program *found = bpf_object__find_program_by_name(load->object, program);
	_cleanup_strbuf_ struct strbuf log = STRBUF_INIT;
	int fd;

	if (!found)
		return bpfload_error(BPFLOAD_OBJECT, 0, "%s has no program %s", load->name,
				     program);
	if (load->linked != found) {
		bpf_link__destroy(load->link);
		load->linked = NULL;
		bpfload_log_begin(&log);
		load->link = bpf_program__attach_iter(found, NULL);
		bpfload_log_end();
		if (!load->link)
			return bpfload_error(BPFLOAD_ATTACH, errno, "%s: %s", load->name, program);
		load->linked = found;
	}
	fd = bpf_iter_create(bpf_link__fd(load->link));
	if (fd < 0)
		return bpfload_error(BPFLOAD_ATTACH, -fd, "%s: starting %s", load->name, program);
	*ret_fd = fd;
	return NULL;
}

struct error *bpfload_read(struct bpfload *load, const char *program, bpfload_fn *visit, void *arg)
{
	_cleanup_close_ int fd = -1;
	struct error *err = start(load, program, &fd);

	while (!err) {
		ssize_t n = read(fd, load->buffer, load->n_buffer);

		if (n == 0)
			return NULL;
		if (n > 0)
			err = visit(load->buffer, (size_t)n, arg);
		else if (errno != EINTR && errno != EAGAIN)
			err = bpfload_error(BPFLOAD_READ, errno, "%s: %s", load->name, program);
	}
	return err;
}

static _Thread_local struct strbuf *sink;

static void keep_end(struct strbuf *log)
{
	size_t half = BPFLOAD_LOG_BYTES / 2;

	if (log->n <= BPFLOAD_LOG_BYTES)
		return;
	memmove(log->at, log->at + log->n - half, half);
	log->n = half;
	log->at[half] = '\0';
}

__attribute__((format(printf, 2, 0))) static int keep(enum libbpf_print_level level,
						      const char *format, va_list args)
{
	if (!sink || level == LIBBPF_DEBUG || level == LIBBPF_INFO)
		return 0;
	strbuf_vappendf(sink, format, args);
	keep_end(sink);
	return 0;
}

void bpfload_log_begin(struct strbuf *into)
{
	/* Global in libbpf, and the same function every time. */
	libbpf_set_print(keep);
	sink = into;
}

void bpfload_log_end(void)
{
	sink = NULL;
}

/* The verifier's own count of its work says nothing about the refusal. */
static bool is_said(struct slice line)
{
	return line.n > 0 && !slice_ends_with(line, " LOG --") &&
	       !slice_starts_with(line, "processed ");
}

void bpfload_log_tail(const char *text, size_t n, struct strbuf *into)
{
	static const char prefix[] = "libbpf: ";
	struct slice last[BPFLOAD_LOG_LINES], rest = { text, n }, line;
	size_t seen = 0;

	while (slice_take_line(&rest, &line)) {
		if (slice_starts_with(line, prefix))
			line = (struct slice){ line.at + strlen(prefix), line.n - strlen(prefix) };
		if (is_said(line))
			last[seen++ % BPFLOAD_LOG_LINES] = line;
	}
	for (size_t i = seen > BPFLOAD_LOG_LINES ? seen - BPFLOAD_LOG_LINES : 0; i < seen; i++) {
		if (into->n)
			strbuf_append(into, " | ");
		strbuf_append_bytes(into, last[i % BPFLOAD_LOG_LINES].at,
				    last[i % BPFLOAD_LOG_LINES].n);
	}
}
