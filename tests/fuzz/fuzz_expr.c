// SPDX-License-Identifier: GPL-2.0-or-later
/* covers: src/dump/expr.c src/dump/expr_eval.c src/dump/expr_name.c src/dump/expr_parse.c
 * src/dump/expr_type.c */
/*
 * A byte of choices, then an expression, which is asked of a small kernel with tasks and
 * runqueues, or of one with a BPF scheduler and its arena. What is said in JSON must be JSON,
 * whatever was asked.
 */
#include "fuzz.h"

#include "../unit/dump/build_guest.h"
#include "../unit/dump/build_scheduler.h"
#include "dump/expr.h"
#include "json/doc.h"

enum {
	CHOOSE_JSON = 1,
	CHOOSE_BARE = 2, /* a kernel without types */
	CHOOSE_NULL = 4, /* CPU 1 runs nobody */
	CHOOSE_WILD = 8, /* CPU 1 runs what is not mapped */
	CHOOSE_NO_CPUS = 16,
	CHOOSE_SCHEDULER = 32,
	MOST_LINES = 200,
};

static struct build_guest *guest_of(uint8_t choices)
{
	static struct build_guest *guests[2];
	struct build_guest **g = &guests[!!(choices & CHOOSE_BARE)];

	if (!*g) {
		*g = build_guest_new(choices & CHOOSE_BARE);
		guest_attach(*g);
	}
	return *g;
}

/* A scheduler whose allocator has a tree: one descriptor, one element. */
static struct kmem *scheduler(void)
{
	static struct build_scheduler *b;
	void *made;

	if (!b) {
		scheduler_set_up(&made);
		b = made;
		sdt_put(b->s, SDT_USER + 0x1000 + IN_DESC_FREE, 511);
		sdt_put(b->s, SDT_USER + 0x1000 + IN_DESC_CHUNK, SDT_USER + 0x2000);
		b->s->root = SDT_USER + 0x1000;
		put_allocator(b);
		scheduler_attach(b);
	}
	kmem_space_forget(&b->kmem->space);
	return b->kmem;
}

static void check_json(const struct strbuf *out)
{
	_cleanup_json_doc_ struct json_doc *doc = NULL;
	struct error *err = out->n ? json_doc_parse(strbuf_str(out), out->n, "said", &doc) : NULL;

	if (err)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	uint8_t choices = n ? data[0] : 0;
	_cleanup_free_ char *text = xstrndup(n ? (const char *)data + 1 : "", n ? n - 1 : 0);
	_cleanup_strbuf_ struct strbuf out = STRBUF_INIT;
	struct build_guest *g = guest_of(choices);
	struct json_writer writer = json_writer_to(&out, JSON_COMPACT);
	struct dump_sink sink = choices & CHOOSE_JSON ? dump_sink_to_json(&writer)
						      : dump_sink_to_text(&out, MOST_LINES);
	uint64_t curr = build_get_u64(&g->k.memory, guest_rq_at(1) + RQ_CURR);
	uint32_t n_cpus = g->kmem->cpus.n;
	struct error *err;

	if (choices & (CHOOSE_NULL | CHOOSE_WILD))
		guest_u64(g, guest_rq_at(1) + RQ_CURR, choices & CHOOSE_NULL ? 0 : 0x1234567);
	if (choices & CHOOSE_NO_CPUS)
		g->kmem->cpus.n = 0;
	kmem_space_forget(&g->kmem->space);
	err = dump_expr(choices & CHOOSE_SCHEDULER ? scheduler() : g->kmem, text, &sink);
	/* What it asks for was understood, whether it exists or not. */
	if (!err || !error_is(err, &dump_expr_error_domain, DUMP_EXPR_SYNTAX))
		fuzz_mark_deep();
	if (choices & CHOOSE_JSON)
		check_json(&out);
	error_free(err);
	g->kmem->cpus.n = n_cpus;
	guest_u64(g, guest_rq_at(1) + RQ_CURR, curr);
	return 0;
}
