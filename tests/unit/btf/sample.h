/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A small kernel: the types that the tests of this room ask for, and their ids. */
#ifndef KTSTR_TESTS_BTF_SAMPLE_H
#define KTSTR_TESTS_BTF_SAMPLE_H

#include "btf/btf.h"
#include "build_btf.h"
#include "unit.h"

struct sample {
	struct strbuf bytes;
	struct btf *btf;
	uint32_t s32, u8, u16, u32, u64, ch, boolean, s128, u128, f64;
	uint32_t u32_typedef, text16, list_head, list_ptr, colour, wide, flags, dsq, rq, rq_ptr;
	uint32_t task, task_ptr, data_fwd, data_ptr, either, flex, section, counter;
	uint32_t n;
};

/*
 * struct list_head { struct list_head *next, *prev; };                         16 bytes
 * enum colour { RED, GREEN = 5, BLUE = -1 };                                   signed, 4 bytes
 * enum wide { BIG = 1 << 40 };                                                 8 bytes
 * struct flags { u32 state : 3; enum colour tint : 4; s32 delta : 5; u64 far : 40 };  16 bytes
 * struct dsq { u64 id; u32 nr; struct list_head list; };                       32 bytes
 * struct rq { u32 nr_running; int cpu; struct { u64 clock; union { u64 raw; u32 half[2]; }; };
 *             struct dsq dsqs[2]; struct task *curr; };                        96 bytes
 * struct task { char comm[16]; int pid; const volatile u32 cpu; struct rq *rq; bool on; }; 40 bytes
 * struct flex { u32 n; u32 pad; u64 words[]; };                                8 bytes
 */
static inline void sample_init(struct sample *s)
{
	static const struct build_value colours[] = { { "RED", 0 },
						      { "GREEN", 5 },
						      { "BLUE", UINT64_MAX } };
	static const struct build_value wides[] = { { "SMALL", 1 }, { "BIG", UINT64_C(1) << 40 } };
	struct build_btf b = { 0 };
	uint32_t later, words, half, inner, arms, dsqs, constant, octets, tint, format;

	*s = (struct sample){ 0 };
	s->s32 = build_btf_int(&b, "int", 4, 1);
	s->u8 = build_btf_int(&b, "unsigned char", 1, 0);
	s->u16 = build_btf_int(&b, "unsigned short", 2, 0);
	s->u32 = build_btf_int(&b, "unsigned int", 4, 0);
	s->u64 = build_btf_int(&b, "unsigned long", 8, 0);
	s->ch = build_btf_int(&b, "char", 1, 3);
	s->boolean = build_btf_int(&b, "_Bool", 1, 4);
	s->s128 = build_btf_int(&b, "__int128", 16, 1);
	s->u128 = build_btf_int(&b, "unsigned __int128", 16, 0);
	s->f64 = build_btf_type(&b, "double", BTF_FLOAT, 0, 8);
	s->u32_typedef = build_btf_type(&b, "u32", BTF_TYPEDEF, 0, s->u32);
	s->text16 = build_btf_array(&b, s->ch, 16);
	/* A pointer comes before what it points to, as compilers write it. */
	later = b.n + 2;
	s->list_ptr = build_btf_type(&b, "", BTF_PTR, 0, later);
	s->list_head = BUILD_STRUCT(&b, "list_head", 16, { "next", s->list_ptr, 0, 0 },
				    { "prev", s->list_ptr, 64, 0 });
	s->colour = build_btf_enum(&b, "colour", 4, true, false, colours, 3);
	s->wide = build_btf_enum(&b, "wide", 8, false, true, wides, 2);
	s->flags = BUILD_STRUCT(&b, "flags", 16, { "state", s->u32_typedef, 0, 3 },
				{ "tint", s->colour, 3, 4 }, { "delta", s->s32, 7, 5 },
				{ "far", s->u64, 60, 40 });
	s->dsq = BUILD_STRUCT(&b, "dsq", 32, { "id", s->u64, 0, 0 },
			      { "nr", s->u32_typedef, 64, 0 }, { "list", s->list_head, 128, 0 });
	half = build_btf_array(&b, s->u32, 2);
	arms = BUILD_UNION(&b, "", 8, { "raw", s->u64, 0, 0 }, { "half", half, 0, 0 });
	inner = BUILD_STRUCT(&b, "", 16, { "clock", s->u64, 0, 0 }, { "", arms, 64, 0 });
	dsqs = build_btf_array(&b, s->dsq, 2);
	/* rq, rq *, const, volatile, task, task *: known before they are written. */
	s->rq = b.n + 1;
	s->rq_ptr = b.n + 2;
	constant = b.n + 3;
	s->task = b.n + 5;
	s->task_ptr = b.n + 6;
	BUILD_STRUCT(&b, "rq", 96, { "nr_running", s->u32, 0, 0 }, { "cpu", s->s32, 32, 0 },
		     { "", inner, 64, 0 }, { "dsqs", dsqs, 192, 0 },
		     { "curr", s->task_ptr, 704, 0 });
	build_btf_type(&b, "", BTF_PTR, 0, s->rq);
	build_btf_type(&b, "", BTF_CONST, 0, constant + 1);
	build_btf_type(&b, "", BTF_VOLATILE, 0, s->u32_typedef);
	BUILD_STRUCT(&b, "task", 40, { "comm", s->text16, 0, 0 }, { "pid", s->s32, 128, 0 },
		     { "cpu", constant, 160, 0 }, { "rq", s->rq_ptr, 192, 0 },
		     { "on", s->boolean, 256, 0 });
	build_btf_type(&b, "", BTF_PTR, 0, s->task);
	s->data_fwd = build_btf_type(&b, "sdt_data", BTF_FWD, 0, 0);
	s->data_ptr = build_btf_type(&b, "", BTF_PTR, 0, s->data_fwd);
	octets = build_btf_array(&b, s->u8, 8);
	s->either = BUILD_UNION(&b, "either", 8, { "number", s->u64, 0, 0 },
				{ "bytes", octets, 0, 0 });
	words = build_btf_array(&b, s->u64, 0);
	s->flex = BUILD_STRUCT(&b, "flex", 8, { "n", s->u32, 0, 0 }, { "pad", s->u32, 32, 0 },
			       { "words", words, 64, 0 });
	s->counter = build_btf_var(&b, "counter", s->u64);
	tint = build_btf_var(&b, "tint", s->colour);
	format = build_btf_var(&b, "name___fmt", build_btf_array(&b, s->ch, 8));
	s->section = build_btf_section(
		&b, ".bss", 24,
		(const uint32_t[][3]){ { s->counter, 0, 8 }, { tint, 8, 4 }, { format, 16, 8 } },
		3);
	s->n = b.n;
	build_btf_finish(&b, &s->bytes);
	assert_success(btf_parse(build_bytes(&s->bytes), "sample", &s->btf));
}

static inline void sample_deinit(struct sample *s)
{
	btf_free(s->btf);
	strbuf_deinit(&s->bytes);
}

#define _cleanup_sample_ __attribute__((cleanup(sample_deinit)))

#endif
