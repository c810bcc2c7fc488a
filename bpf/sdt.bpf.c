// SPDX-License-Identifier: GPL-2.0-only
/*
 * The second fixture: first in, first out as the first, with memory of its own for each task, so
 * that there is something to be found in a guest: an arena, a tree of three levels, typed contents.
 */
#include "scx.h"
#include "sdt.h"

/* Not at a multiple of 4 GiB, on purpose. */
#define ARENA_AT    ((1ULL << 44) + 0x12345000)
#define ARENA_PAGES 4096
#define NO_NODE	    (-1)

enum {
	SDT_DSQ = 1,
	BPF_MAP_TYPE_TASK_STORAGE_ = 29,
	BPF_MAP_TYPE_ARENA_ = 33,
	BPF_F_NO_PREALLOC_ = 1,
	BPF_F_MMAPABLE_ = 1 << 10,
	CREATE = 1,
	/* Memory is allocated without the lock, so another CPU may take it first. */
	MAX_TRIES = 16,
	DESC_PAGES = 2,
	/* More than one way down needs; a power of two. */
	STOCK_DESCS = 4,
	E_NO_MEMORY = 12,
};

struct {
	__uint(type, BPF_MAP_TYPE_ARENA_);
	__uint(map_flags, BPF_F_MMAPABLE_);
	__uint(max_entries, ARENA_PAGES);
	__ulong(map_extra, ARENA_AT);
} ktsdt_arena SEC(".maps");

struct ktsdt_task {
	struct sdt_data __arena *data;
};

struct {
	__uint(type, BPF_MAP_TYPE_TASK_STORAGE_);
	__uint(map_flags, BPF_F_NO_PREALLOC_);
	__type(key, int);
	__type(value, struct ktsdt_task);
} ktsdt_tasks SEC(".maps");

void __arena *bpf_arena_alloc_pages(void *map, void __arena *at, __u32 pages, int node,
				    __u64 flags) __ksym __weak;

/* Pages that were fetched for descriptors and slabs and are not used yet. */
struct stock {
	struct sdt_desc __arena *descs[STOCK_DESCS];
	__u32 n_descs;
};

struct scx_allocator scx_task_allocator;
struct scx_static scx_common;
struct stock stock;
volatile struct ktsdt_state state SEC(".bss.state");

/* Everything in the tree. Held for a few hundred instructions, never while pages are fetched. */
static struct bpf_spin_lock lock SEC(".data.lock") __attribute__((aligned(8)));

/* A program that touches the arena has to name it. */
#define uses_arena() asm volatile("" ::"r"(&ktsdt_arena))

/* Without a branch: each would double what the verifier has to follow. */
static __always_inline int first_zero(__u64 word)
{
	__u64 below = word & ~(word + 1); /* the ones in front of the first zero */

	below -= below >> 1 & 0x5555555555555555ULL;
	below = (below & 0x3333333333333333ULL) + (below >> 2 & 0x3333333333333333ULL);
	below = (below + (below >> 4)) & 0x0f0f0f0f0f0f0f0fULL;
	return below * 0x0101010101010101ULL >> 56 & 63;
}

/* -1: all are taken. */
static __always_inline int free_entry(struct sdt_desc __arena *desc)
{
	for (int i = 0; i < SDT_WORDS; i++) {
		__u64 word = desc->allocated[i];

		if (word != ~0ULL)
			return i * 64 + first_zero(word);
	}
	return -1;
}

static __always_inline struct sdt_desc __arena *take_desc(void)
{
	if (stock.n_descs == 0 || stock.n_descs > STOCK_DESCS)
		return NULL;
	stock.n_descs--;
	return stock.descs[stock.n_descs & (STOCK_DESCS - 1)];
}

/* True: there is no more. */
static __always_inline bool set_entry(struct sdt_desc __arena *desc, int at)
{
	desc->allocated[at / 64 & 7] |= 1ULL << (at & 63);
	desc->nr_free--;
	return desc->nr_free == 0;
}

/* True: there was none. */
static __always_inline bool clear_entry(struct sdt_desc __arena *desc, int at)
{
	desc->allocated[at / 64 & 7] &= ~(1ULL << (at & 63));
	desc->nr_free++;
	return desc->nr_free == 1;
}

/* With the lock. NULL: the stock is too small for a way that is not there yet, or all is full. */
static __always_inline struct sdt_data __arena *take_element(void)
{
	struct scx_allocator *allocator = &scx_task_allocator;
	struct sdt_desc __arena *top = allocator->root, *middle, *leaf;
	struct sdt_data __arena *data;
	int a, b, c;

	a = free_entry(top);
	if (a < 0)
		return NULL;
	middle = top->chunk->descs[a & 511];
	if (!middle) {
		middle = take_desc();
		if (!middle)
			return NULL;
		top->chunk->descs[a & 511] = middle;
	}
	b = free_entry(middle);
	if (b < 0)
		return NULL;
	leaf = middle->chunk->descs[b & 511];
	if (!leaf) {
		leaf = take_desc();
		if (!leaf)
			return NULL;
		middle->chunk->descs[b & 511] = leaf;
	}
	c = free_entry(leaf);
	if (c < 0)
		return NULL;
	data = leaf->chunk->data[c & 511];
	if (!data) {
		if (allocator->pool.idx >= allocator->pool.max_elems)
			return NULL;
		data = allocator->pool.slab + allocator->pool.idx * allocator->pool.elem_size;
		allocator->pool.idx++;
	}
	if (set_entry(leaf, c) && set_entry(middle, b))
		set_entry(top, a);
	data->tid.idx = a << 18 | b << 9 | c;
	data->tid.genn++;
	leaf->chunk->data[c & 511] = data;
	return data;
}

/* With the lock. */
static __always_inline void give_element(struct sdt_data __arena *data)
{
	struct sdt_desc __arena *top = scx_task_allocator.root, *middle, *leaf;
	int idx = data->tid.idx;

	middle = top->chunk->descs[idx >> 18 & 511];
	if (!middle)
		return;
	leaf = middle->chunk->descs[idx >> 9 & 511];
	if (!leaf)
		return;
	for (int i = 0; i < (int)(sizeof(struct ktsdt_task_ctx) / 8); i++)
		data->payload[i] = 0;
	data->tid.idx = 0;
	if (clear_entry(leaf, idx & 511) && clear_entry(middle, idx >> 9 & 511))
		clear_entry(top, idx >> 18 & 511);
}

/* Pages come zeroed. The chunk stands behind its descriptor and crosses into the next page. */
static __always_inline struct sdt_desc __arena *new_desc(void)
{
	struct sdt_desc __arena *desc = bpf_arena_alloc_pages(&ktsdt_arena, NULL, DESC_PAGES,
							      NO_NODE, 0);

	if (!desc)
		return NULL;
	desc->nr_free = SDT_ENTRIES;
	desc->chunk = (struct sdt_chunk __arena *)(desc + 1);
	return desc;
}

/* Without the lock, where it may sleep. What came too late for somebody else stays unused. */
static __always_inline void restock(void)
{
	struct scx_allocator *allocator = &scx_task_allocator;

	if (stock.n_descs < SDT_LEVELS - 1) {
		struct sdt_desc __arena *desc = new_desc();

		if (!desc)
			return;
		bpf_spin_lock(&lock);
		if (stock.n_descs < STOCK_DESCS) {
			stock.descs[stock.n_descs & (STOCK_DESCS - 1)] = desc;
			stock.n_descs++;
		}
		bpf_spin_unlock(&lock);
	}
	if (allocator->pool.idx >= allocator->pool.max_elems) {
		void __arena *slab = bpf_arena_alloc_pages(&ktsdt_arena, NULL, SDT_SLAB_PAGES,
							   NO_NODE, 0);

		if (!slab)
			return;
		bpf_spin_lock(&lock);
		if (allocator->pool.idx >= allocator->pool.max_elems) {
			allocator->pool.slab = slab;
			allocator->pool.max_elems = SDT_SLAB_PAGES * SDT_PAGE_BYTES /
						    allocator->pool.elem_size;
			allocator->pool.idx = 0;
		}
		bpf_spin_unlock(&lock);
	}
}

/*
 * Functions of their own: clang tells the types of parameters, and not those that only local
 * variables have. Inspection from outside needs them.
 */
static __noinline void fill(struct ktsdt_task_ctx __arena *ctx, int pid, int tgid)
{
	ctx->pid = pid;
	ctx->tgid = tgid;
	ctx->cookie = ktsdt_cookie(pid);
	ctx->mood = KTSDT_NEW;
	ctx->common = scx_common.memory;
	ctx->tag[0] = 't';
	ctx->tag[1] = 'a';
	ctx->tag[2] = 's';
	ctx->tag[3] = 'k';
	ctx->tag[4] = '0' + (unsigned int)pid % 10;
}

static __noinline void fill_common(struct ktsdt_static_ctx __arena *common)
{
	common->magic = KTSDT_MAGIC;
	common->text[0] = 'a';
	common->text[1] = 'l';
	common->text[2] = 'l';
}

SEC("struct_ops.s/ktsdt_init_task")
__s32 BPF_PROG(ktsdt_init_task, struct task_struct *p, struct scx_init_task_args *args)
{
	struct sdt_data __arena *data = NULL;
	struct ktsdt_task *task;

	uses_arena();
	task = bpf_task_storage_get(&ktsdt_tasks, p, 0, CREATE);
	if (!task)
		return -E_NO_MEMORY;
	for (int i = 0; i < MAX_TRIES && !data; i++) {
		restock();
		bpf_spin_lock(&lock);
		data = take_element();
		bpf_spin_unlock(&lock);
	}
	if (!data) {
		__sync_fetch_and_add(&state.failures, 1);
		return -E_NO_MEMORY;
	}
	fill((struct ktsdt_task_ctx __arena *)data->payload, p->pid, p->tgid);
	task->data = data;
	__sync_fetch_and_add(&state.allocations, 1);
	return 0;
}

SEC("struct_ops/ktsdt_exit_task")
void BPF_PROG(ktsdt_exit_task, struct task_struct *p, struct scx_exit_task_args *args)
{
	struct ktsdt_task *task;
	struct sdt_data __arena *data;

	uses_arena();
	task = bpf_task_storage_get(&ktsdt_tasks, p, 0, 0);
	if (!task)
		return;
	data = task->data;
	if (!data)
		return;
	bpf_spin_lock(&lock);
	give_element(data);
	bpf_spin_unlock(&lock);
	task->data = NULL;
	__sync_fetch_and_add(&state.frees, 1);
}

static __always_inline void note(struct task_struct *p, enum ktsdt_mood mood)
{
	struct ktsdt_task *task = bpf_task_storage_get(&ktsdt_tasks, p, 0, 0);
	struct ktsdt_task_ctx __arena *ctx;

	if (!task || !task->data)
		return;
	ctx = (struct ktsdt_task_ctx __arena *)task->data->payload;
	if (ctx->mood != mood)
		ctx->mood_changes++;
	ctx->mood = mood;
	ctx->enqueues++;
}

SEC("struct_ops/ktsdt_select_cpu")
__s32 BPF_PROG(ktsdt_select_cpu, struct task_struct *p, __s32 prev_cpu, __u64 wake_flags)
{
	bool is_idle = 0;
	__s32 cpu;

	uses_arena();
	cpu = scx_bpf_select_cpu_dfl(p, prev_cpu, wake_flags, &is_idle);
	if (is_idle) {
		note(p, KTSDT_DIRECT);
		scx_bpf_dsq_insert(p, SCX_DSQ_LOCAL, 5000000, 0);
	}
	return cpu;
}

SEC("struct_ops/ktsdt_enqueue")
void BPF_PROG(ktsdt_enqueue, struct task_struct *p, __u64 enq_flags)
{
	uses_arena();
	note(p, KTSDT_QUEUED);
	scx_bpf_dsq_insert(p, SDT_DSQ, 5000000, enq_flags);
}

SEC("struct_ops/ktsdt_dispatch")
void BPF_PROG(ktsdt_dispatch, __s32 cpu, struct task_struct *prev)
{
	scx_bpf_dsq_move_to_local(SDT_DSQ);
}

SEC("struct_ops.s/ktsdt_init")
__s32 BPF_PROG(ktsdt_init)
{
	struct ktsdt_static_ctx __arena *common;

	uses_arena();
	common = bpf_arena_alloc_pages(&ktsdt_arena, NULL, 1, NO_NODE, 0);
	if (!common)
		return -E_NO_MEMORY;
	fill_common(common);
	scx_common.memory = common;
	scx_common.max_alloc_bytes = SDT_PAGE_BYTES;
	scx_common.off = sizeof(*common);
	scx_task_allocator.pool.elem_size = sizeof(struct sdt_data) + sizeof(struct ktsdt_task_ctx);
	scx_task_allocator.root = new_desc();
	if (!scx_task_allocator.root)
		return -E_NO_MEMORY;
	return scx_bpf_create_dsq(SDT_DSQ, NO_NODE);
}

SEC("struct_ops/ktsdt_exit")
void BPF_PROG(ktsdt_exit, struct scx_exit_info *info)
{
	struct ktsdt_state *to = (struct ktsdt_state *)&state;

	bpf_probe_read_kernel_str(to->exit_reason, sizeof(to->exit_reason), info->reason);
	bpf_probe_read_kernel_str(to->exit_message, sizeof(to->exit_message), info->msg);
	to->exit_code = info->exit_code;
	/* An exchange orders the writes before it. */
	__sync_lock_test_and_set(&to->exit_kind, info->kind);
}

SEC(".struct_ops.link")
struct sched_ext_ops ktsdt_ops = {
	.select_cpu = (void *)ktsdt_select_cpu,
	.enqueue = (void *)ktsdt_enqueue,
	.dispatch = (void *)ktsdt_dispatch,
	.init_task = (void *)ktsdt_init_task,
	.exit_task = (void *)ktsdt_exit_task,
	.init = (void *)ktsdt_init,
	.exit = (void *)ktsdt_exit,
	.timeout_ms = 20000,
	.name = "ktsdt",
};

char ktsdt_license[] SEC("license") = "GPL";
