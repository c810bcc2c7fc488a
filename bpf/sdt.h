/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory for each task, in an arena: what the scheduler in the kernel and its loader both see. The
 * names and the form are those that schedulers of the scx project have, the code behind them is
 * our own.
 */
#ifndef KTSTR_BPF_SDT_H
#define KTSTR_BPF_SDT_H

#ifdef __bpf__
#define __arena __attribute__((address_space(1)))
#else
#define __arena
#endif

enum {
	SDT_LEVELS = 3,
	SDT_SHIFT = 9,
	SDT_ENTRIES = 1 << SDT_SHIFT,
	SDT_WORDS = SDT_ENTRIES / 64,
	/* One slab; elements lie close together, so some cross the end of a page. */
	SDT_SLAB_PAGES = 4,
	SDT_PAGE_BYTES = 4096,
	SDT_REASON_BYTES = 128,
	SDT_MESSAGE_BYTES = 1024,
};

union sdt_id {
	long long val;
	struct {
		int idx;
		int genn;
	};
};

struct sdt_data {
	union sdt_id tid;
	unsigned long long payload[];
};

struct sdt_desc;

struct sdt_chunk {
	union {
		struct sdt_desc __arena *descs[SDT_ENTRIES];
		struct sdt_data __arena *data[SDT_ENTRIES];
	};
};

struct sdt_desc {
	/* Last level: in use. Further up: all below is in use. */
	unsigned long long allocated[SDT_WORDS];
	unsigned long long nr_free;
	struct sdt_chunk __arena *chunk;
};

struct sdt_pool {
	void __arena *slab;
	unsigned long long elem_size;
	unsigned long long max_elems;
	unsigned long long idx;
};

struct scx_allocator {
	struct sdt_pool pool;
	struct sdt_desc __arena *root;
};

/* Memory that is handed out and never given back. */
struct scx_static {
	unsigned long long max_alloc_bytes;
	void __arena *memory;
	unsigned long long off;
};

enum ktsdt_mood { KTSDT_NEW = 1, KTSDT_QUEUED, KTSDT_DIRECT };

/* Of one task: what a program in the guest can know as well. */
struct ktsdt_task_ctx {
	int pid;
	int tgid;
	unsigned long long cookie; /* ktsdt_cookie(pid) */
	enum ktsdt_mood mood;
	unsigned int mood_changes;
	unsigned long long enqueues;
	struct ktsdt_static_ctx __arena *common;
	char tag[24]; /* "task" and the pid's last digit */
};

/* All tasks point to it. */
struct ktsdt_static_ctx {
	unsigned long long magic;
	char text[16];
};

#define KTSDT_MAGIC 0x6b74736474000001ULL

static inline unsigned long long ktsdt_cookie(int pid)
{
	return (unsigned int)pid * 0x9e3779b97f4a7c15ULL;
}

/* Shared memory of the scheduler and its loader, kernel to loader. */
struct ktsdt_state {
	unsigned int exit_kind; /* 0 until it has ended, written last */
	unsigned int failures;	/* tasks without memory */
	unsigned long long allocations, frees;
	long long exit_code;
	char exit_reason[SDT_REASON_BYTES];
	char exit_message[SDT_MESSAGE_BYTES];
};

#endif
