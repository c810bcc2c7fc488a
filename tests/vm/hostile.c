// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A saved guest that lies, many times over: of each lie a word is told that the reader is known to
 * look at, and then everything is shown as after a failure. No lie may crash us, none may take
 * longer than LIMIT_SECONDS, and most must show; a lie that nobody sees proves nothing.
 *
 *	hostile VMCORE FROM TO		lies number FROM up to TO
 *	hostile VMCORE NUMBER		one of them again, in this process, with its report
 */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../unit/kmem/hostile_reader.h"
#include "base/hash.h"
#include "dump/dump.h"
#include "dump/expr.h"
#include "dump/maps.h"
#include "kmem/core_file.h"

enum {
	LIMIT_SECONDS = 5, /* of the CPU: the machine may have other work */
	MOST_BAD = 20,
	MOST_MAPS = 64,
};

/* What is shown, in parts: a lie about a part is told while that part is shown, with the report. */
enum part { ATTACH, REPORT, EXPRS, FIRST_MAP, MOST_PARTS = FIRST_MAP + MOST_MAPS };

static const char *const exprs[] = {
	"runqueues.curr->comm",
	"runqueues[0].scx.local_dsq.nr",
	"init_task.cgroups->dfl_cgrp->kn->name",
	"((struct scx_sched *)scx_root)->ops",
	"map:.bss",
	"*scx_task_allocator.root",
};

struct hostile {
	struct kmem_core core;
	struct bytes note;
	struct kmem_reader truth, reader;
	struct hostile_reader liar;
	struct hostile_log logs[MOST_PARTS];
	size_t n_parts;
	char *maps[MOST_MAPS];
	uint64_t direct_map;
	struct kmem *kmem;		  /* attached to the truth */
	uint64_t expected[MOST_PARTS][2]; /* hashes of what is shown of the truth: some, all */
};

/* Shared with the processes that do the work. */
struct progress {
	unsigned int now, n_done, n_changed, slowest;
	unsigned int n_kind[HOSTILE_N_KINDS], n_kind_changed[HOSTILE_N_KINDS];
	double slowest_seconds;
};

static void die(struct error *err)
{
	fprintf(stderr, "hostile: %s\n", error_message(err));
	exit(2);
}

static void show_view(struct kmem *kmem, const struct dump_view *view,
		      const struct dump_request *request, struct strbuf *out)
{
	struct json_writer writer = json_writer_to(out, JSON_PRETTY);
	struct dump_sink text = dump_sink_to_text(out, DUMP_DEFAULT_LINES);
	struct dump_sink json = dump_sink_to_json(&writer);
	_cleanup_error_ struct error *err = dump_one(view, kmem, request, &text);
	_cleanup_error_ struct error *again = dump_one(view, kmem, request, &json);

	strbuf_append(out, err ? error_message(err) : "");
	strbuf_append(out, again ? error_message(again) : "");
}

static void show_exprs(struct kmem *kmem, struct strbuf *out)
{
	for (size_t i = 0; i < ARRAY_SIZE(exprs); i++) {
		struct dump_sink sink = dump_sink_to_text(out, DUMP_DEFAULT_LINES);
		_cleanup_error_ struct error *err = dump_expr(kmem, exprs[i], &sink);

		strbuf_append(out, err ? error_message(err) : "");
	}
}

/* Appends what is to be seen; `kmem` NULL: why there is no kernel. */
static void show_part(struct hostile *h, enum part part, struct kmem *kmem, const char *reason,
		      uint64_t max_entries, struct strbuf *out)
{
	struct dump_request request = { .max_entries = max_entries };

	if (part <= REPORT || !kmem) {
		_cleanup_strbuf_ struct strbuf json = STRBUF_INIT;

		dump_failure(kmem, reason, &request, 0, out, &json);
		strbuf_append_bytes(out, strbuf_str(&json), json.n);
	} else if (part == EXPRS) {
		show_exprs(kmem, out);
	} else {
		request.argument = h->maps[part - FIRST_MAP];
		show_view(kmem, dump_view_find("map"), &request, out);
	}
}

static uint64_t hash_of(const struct strbuf *out)
{
	return hash_bytes(HASH_INIT, strbuf_str(out), out->n);
}

static bool remember_map(void *context, uint64_t id, uint64_t address UNUSED)
{
	struct hostile *h = context;

	h->maps[h->n_parts - FIRST_MAP] = xasprintf("%llu", (unsigned long long)id);
	return ++h->n_parts < MOST_PARTS;
}

/* One look at the truth, with a note of every word. */
static void look(struct hostile *h)
{
	struct kmem_walk walk = { 0 };
	struct error *err;

	h->liar.log = &h->logs[ATTACH];
	err = kmem_attach(&h->reader, h->note, NULL, &h->kmem);
	h->liar.log = NULL;
	h->n_parts = FIRST_MAP;
	if (!err)
		err = dump_map_each(h->kmem, &walk, remember_map, h);
	if (err)
		die(err);
	h->direct_map = h->kmem->page_offset_base;
	for (enum part part = REPORT; part < h->n_parts; part++) {
		_cleanup_strbuf_ struct strbuf first = STRBUF_INIT, second = STRBUF_INIT;
		_cleanup_strbuf_ struct strbuf all = STRBUF_INIT;

		kmem_space_forget(&h->kmem->space);
		h->liar.log = &h->logs[part];
		show_part(h, part, h->kmem, NULL, DUMP_DEFAULT_ENTRIES, &first);
		h->liar.log = NULL;
		show_part(h, part, h->kmem, NULL, DUMP_DEFAULT_ENTRIES, &second);
		show_part(h, part, h->kmem, NULL, 0, &all);
		h->expected[part][0] = hash_of(&first);
		h->expected[part][1] = hash_of(&all);
		if (h->expected[part][0] != hash_of(&second)) {
			fprintf(stderr, "hostile: part %u is shown in two ways\n", part);
			exit(2);
		}
	}
	memcpy(h->expected[ATTACH], h->expected[REPORT], sizeof(h->expected[ATTACH]));
	for (enum part part = 0; part < h->n_parts; part++)
		hostile_log_sort(&h->logs[part]);
}

static void open_core(struct hostile *h, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct error *err;

	if (fd < 0) {
		perror(path);
		exit(2);
	}
	err = kmem_core_read(fd, path, &h->core);
	if (err)
		die(err);
	if (h->core.has_note)
		h->note = (struct bytes){ (const uint8_t *)strbuf_str(&h->core.note),
					  h->core.note.n };
	h->truth = kmem_reader_of_physmap(h->core.map);
	h->liar.truth = &h->truth;
	h->reader = hostile_reader(&h->liar);
}

/* A third about maps, a tenth about what an attach reads, the rest about the report. */
static enum part choose_part(const struct hostile *h, uint64_t *random)
{
	unsigned int n = hostile_random(random) % 30;

	if (n < 3)
		return ATTACH;
	if (n < 4)
		return EXPRS;
	if (n < 14 && h->n_parts > FIRST_MAP) {
		enum part part = FIRST_MAP + hostile_random(random) % (h->n_parts - FIRST_MAP);

		if (h->logs[part].words.n)
			return part;
	}
	return REPORT;
}

/* True: what is seen is not what is seen of the truth. */
static bool tell_lie(struct hostile *h, unsigned int number, enum hostile_kind *ret_kind,
		     bool aloud)
{
	uint64_t random = (number + 1) * UINT64_C(0x9e3779b97f4a7c15);
	_cleanup_kmem_ struct kmem *fresh = NULL;
	_cleanup_error_ struct error *err = NULL;
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	struct kmem *kmem = h->kmem;
	enum part part = choose_part(h, &random);
	bool all = hostile_random(&random) % 8 == 0;
	uint64_t max_entries = all ? 0 : DUMP_DEFAULT_ENTRIES;
	bool changed;

	*ret_kind = hostile_lie(&h->liar, &h->logs[part], h->direct_map, &random);
	if (aloud)
		printf("# part %u, at %#llx: %s (%#llx)\n", part,
		       (unsigned long long)h->liar.lie.physical, hostile_kind_words[*ret_kind],
		       (unsigned long long)h->liar.lie.value);
	kmem_space_forget(&kmem->space);
	if (hostile_log_has(&h->logs[ATTACH], h->liar.lie.physical, h->liar.lie.n)) {
		err = kmem_attach(&h->reader, h->note, NULL, &fresh);
		kmem = fresh;
	}
	show_part(h, part, kmem, err ? error_message(err) : NULL, max_entries, &out);
	changed = hash_of(&out) != h->expected[part][all];
	/* Then the report as well, so that every lie is seen by everybody. */
	if (part > REPORT && kmem && number % 4 == 0)
		show_part(h, REPORT, kmem, NULL, max_entries, &out);
	if (aloud)
		printf("%s\n", strbuf_str(&out));
	h->liar.lie.n = 0;
	return changed;
}

static double cpu_seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void work(struct hostile *h, struct progress *p, unsigned int from, unsigned int to)
{
	const struct itimerval limit = { .it_value = { .tv_sec = LIMIT_SECONDS } };

	for (unsigned int i = from; i < to; i++) {
		enum hostile_kind kind = 0;
		double start = cpu_seconds(), took;
		bool changed;

		p->now = i;
		setitimer(ITIMER_PROF, &limit, NULL); /* SIGPROF ends us */
		changed = tell_lie(h, i, &kind, false);
		took = cpu_seconds() - start;
		p->n_done++;
		p->n_changed += changed;
		p->n_kind[kind]++;
		p->n_kind_changed[kind] += changed;
		if (took > p->slowest_seconds) {
			p->slowest_seconds = took;
			p->slowest = i;
		}
	}
}

/* One process does it until it dies of a lie; then another goes on behind that. */
static unsigned int work_through(struct hostile *h, struct progress *p, unsigned int from,
				 unsigned int to)
{
	unsigned int n_bad = 0;

	while (from < to && n_bad < MOST_BAD) {
		pid_t child;
		int status;

		fflush(NULL);
		child = fork();
		if (child == 0) {
			work(h, p, from, to);
			_exit(0);
		}
		if (child < 0 || waitpid(child, &status, 0) != child) {
			perror("hostile");
			exit(2);
		}
		if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
			break;
		n_bad++;
		if (WIFSIGNALED(status) && WTERMSIG(status) == SIGPROF)
			printf("# lie %u: longer than %d s\n", p->now, LIMIT_SECONDS);
		else
			printf("# lie %u: status %#x\n", p->now, (unsigned int)status);
		from = p->now + 1;
	}
	return n_bad;
}

static int report(const struct hostile *h, const struct progress *p, unsigned int n_bad,
		  unsigned int wanted)
{
	struct rusage usage;
	size_t n_words = 0;

	for (size_t i = 0; i < h->n_parts; i++)
		n_words += h->logs[i].words.n;
	getrusage(RUSAGE_CHILDREN, &usage);
	printf("# %zu words in %zu parts (attach %zu, report %zu)\n", n_words, h->n_parts,
	       h->logs[ATTACH].words.n, h->logs[REPORT].words.n);
	for (size_t i = 0; i < HOSTILE_N_KINDS; i++)
		printf("# %-40s %u of %u were seen\n", hostile_kind_words[i], p->n_kind_changed[i],
		       p->n_kind[i]);
	printf("# slowest: lie %u, %.2f s of CPU; at most %ld MiB of memory\n", p->slowest,
	       p->slowest_seconds, usage.ru_maxrss / 1024);
	printf("lies %u\nseen %u\nbad %u\n", p->n_done, p->n_changed, n_bad);
	return n_bad == 0 && p->n_done == wanted && 2 * p->n_changed >= p->n_done ? 0 : 1;
}

int main(int argc, char **argv)
{
	struct hostile *h = xnew(struct hostile);
	struct progress *p = mmap(NULL, sizeof(*p), PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	unsigned int from, to, n_bad;
	int status;

	if (argc < 3 || argc > 4 || p == MAP_FAILED) {
		fprintf(stderr, "usage: hostile VMCORE FROM TO | hostile VMCORE NUMBER\n");
		return 2;
	}
	from = (unsigned int)strtoul(argv[2], NULL, 10);
	to = argc == 4 ? (unsigned int)strtoul(argv[3], NULL, 10) : from + 1;
	open_core(h, argv[1]);
	look(h);
	if (argc == 3) {
		enum hostile_kind kind;

		printf("# %s\n", tell_lie(h, from, &kind, true) ? "it was seen" : "nobody saw it");
		status = 0;
	} else {
		n_bad = work_through(h, p, from, to);
		status = report(h, p, n_bad, to - from);
	}
	kmem_free(h->kmem);
	kmem_core_deinit(&h->core);
	for (size_t i = 0; i < MOST_PARTS; i++)
		vec_deinit(&h->logs[i].words);
	for (size_t i = 0; i < MOST_MAPS; i++)
		free(h->maps[i]);
	free(h);
	return status;
}
