// SPDX-License-Identifier: LGPL-2.1-or-later
#include "probe/glibc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>

static const char *first_missing(const struct probe_glibc_descriptor *d, enum probe_glibc_need need)
{
	for (int i = 0; i < PROBE_N_GLIBC_DESCRIPTORS; i++)
		if (probe_glibc_descriptor_needs[i] == need && !d[i].found)
			return probe_glibc_descriptor_names[i];
	return NULL;
}

static struct error *symbol_address(const struct probe_objects *objects,
				    struct probe_object *object,
				    const struct probe_glibc_facts *facts,
				    enum probe_glibc_symbol_id id, uint64_t *ret)
{
	struct error *err = NULL;
	uint64_t bias;

	if (!facts->symbols[id].found)
		err = base_error(BASE_ABSENT, 0, "there is no such symbol");
	else
		err = probe_object_load_bias(objects, object, &bias);
	if (err)
		return error_wrap(err, "%s in %s", probe_glibc_symbol_names[id], object->path);
	*ret = facts->symbols[id].value + bias;
	return NULL;
}

static struct error *take_thread_fields(const struct probe_glibc_descriptor *d,
					struct probe_glibc_layout *ret)
{
	if (d[PROBE_GLIBC_PTHREAD_TID].bits != 32 || d[PROBE_GLIBC_LIST_NEXT].bits != 64)
		return base_error(BASE_ABSENT, 0, "unknown widths in libc's thread descriptors");
	ret->threads.list_next = d[PROBE_GLIBC_LIST_NEXT].offset;
	ret->threads.pthread_list = d[PROBE_GLIBC_PTHREAD_LIST].offset;
	ret->threads.pthread_tid = d[PROBE_GLIBC_PTHREAD_TID].offset;
	return NULL;
}

static void take_library_fields(const struct probe_glibc_descriptor *d,
				struct probe_glibc_layout *ret)
{
	ret->link_map_tls_modid = d[PROBE_GLIBC_LINK_MAP_TLS_MODID].offset;
	ret->link_map_tls_offset = d[PROBE_GLIBC_LINK_MAP_TLS_OFFSET].offset;
	ret->pthread_dtvp = d[PROBE_GLIBC_PTHREAD_DTVP].offset;
	ret->dtv_slot_bytes = d[PROBE_GLIBC_DTV_DTV].bits / 8;
	ret->dtv_pointer_val = d[PROBE_GLIBC_DTV_POINTER_VAL].offset;
	ret->slotinfo_list_len = d[PROBE_GLIBC_SLOTINFO_LIST_LEN].offset;
	ret->slotinfo_list_next = d[PROBE_GLIBC_SLOTINFO_LIST_NEXT].offset;
	ret->slotinfo_list_slots = d[PROBE_GLIBC_SLOTINFO_LIST_SLOTS].offset;
	ret->slotinfo_bytes = d[PROBE_GLIBC_SLOTINFO_LIST_SLOTS].bits / 8;
	ret->slotinfo_gen = d[PROBE_GLIBC_SLOTINFO_GEN].offset;
}

/* A dynamically linked process: libc.so has the descriptors, ld.so the lists. */
static struct error *read_shared(struct probe_objects *objects, struct probe_object *libc,
				 struct probe_glibc_layout *ret)
{
	struct probe_object *loader = probe_objects_find_defining(objects, "ld-", "_rtld_global");
	const struct probe_glibc_facts *facts = probe_object_glibc(objects, libc), *loaders;
	const struct probe_glibc_descriptor *d = facts->descriptors;
	struct probe_glibc_layout layout = { 0 };
	const char *missing;
	uint64_t rtld_global = 0;
	struct error *err;

	if (!loader)
		loader = probe_objects_find_defining(objects, "ld.so", "_rtld_global");
	if (!loader)
		return base_error(BASE_ABSENT, 0, "no mapped loader defines _rtld_global");
	loaders = probe_object_glibc(objects, loader);
	missing = first_missing(d, PROBE_GLIBC_NEEDED_ALWAYS);
	if (!missing)
		missing = first_missing(d, PROBE_GLIBC_NEEDED_IF_SHARED);
	if (missing)
		return base_error(BASE_ABSENT, 0, "%s has no %s: not glibc 2.34 or later",
				  libc->path, missing);
	err = take_thread_fields(d, &layout);
	if (!err)
		err = symbol_address(objects, loader, loaders, PROBE_GLIBC_SYMBOL_RTLD_GLOBAL,
				     &rtld_global);
	if (err)
		return err;
	layout.threads.heads[0] = rtld_global + d[PROBE_GLIBC_RTLD_STACK_USED].offset;
	layout.threads.heads[1] = rtld_global + d[PROBE_GLIBC_RTLD_STACK_USER].offset;
	if (!first_missing(d, PROBE_GLIBC_NEEDED_FOR_LIBRARIES)) {
		_cleanup_error_ struct error *no_debug = symbol_address(
			objects, loader, loaders, PROBE_GLIBC_SYMBOL_R_DEBUG, &layout.r_debug);

		take_library_fields(d, &layout);
		layout.slotinfo_list = rtld_global + d[PROBE_GLIBC_RTLD_SLOTINFO_LIST].offset;
		layout.has_libraries = !no_debug && layout.dtv_slot_bytes && layout.slotinfo_bytes;
	}
	*ret = layout;
	return NULL;
}

/* A static program has the lists as symbols of its own, unless it was stripped or never made a
 * thread. */
static struct error *read_static(struct probe_objects *objects, struct probe_object *program,
				 struct probe_glibc_layout *ret)
{
	const struct probe_glibc_facts *facts = probe_object_glibc(objects, program);
	const struct probe_glibc_descriptor *d = facts->descriptors;
	struct probe_glibc_layout layout = { 0 };
	const char *missing;
	struct error *err;

	missing = first_missing(d, PROBE_GLIBC_NEEDED_ALWAYS);
	if (missing)
		return base_error(BASE_ABSENT, 0, "%s has no %s: stripped, or not glibc",
				  program->path, missing);
	err = take_thread_fields(d, &layout);
	if (!err)
		err = symbol_address(objects, program, facts, PROBE_GLIBC_SYMBOL_STACK_USED,
				     &layout.threads.heads[0]);
	if (!err)
		err = symbol_address(objects, program, facts, PROBE_GLIBC_SYMBOL_STACK_USER,
				     &layout.threads.heads[1]);
	if (err)
		return err;
	*ret = layout;
	return NULL;
}

struct error *probe_glibc_layout_read(struct probe_objects *objects, struct probe_glibc_layout *ret)
{
#if defined(__x86_64__)
	struct probe_object *libc = probe_objects_find_defining(
		objects, "libc.so.6", probe_glibc_descriptor_names[PROBE_GLIBC_PTHREAD_TID]);
	const struct probe_object *old;

	if (!libc)
		libc = probe_objects_find_defining(
			objects, "libc-2.", probe_glibc_descriptor_names[PROBE_GLIBC_PTHREAD_TID]);
	if (libc)
		return read_shared(objects, libc, ret);
	if (probe_objects_unreadable(objects, "libc.so.6"))
		return base_error(BASE_ABSENT, 0, "%s",
				  error_message(probe_objects_unreadable(objects, "libc.so.6")));
	old = probe_objects_find_named(objects, "libc-2.");
	if (!old)
		old = probe_objects_find_named(objects, "libc.so.6");
	if (old)
		return base_error(BASE_ABSENT, 0,
				  "%s does not describe its threads: it is older than glibc 2.34",
				  old->path);
	if (probe_objects_find_named(objects, "ld-musl-"))
		return base_error(BASE_ABSENT, 0, "the C library is musl, not glibc");
	return read_static(objects, &objects->rows.at[0], ret);
#else
	/* Elsewhere struct pthread lies before the thread pointer and has no self pointer to check.
	 */
	(void)objects;
	(void)ret;
	(void)read_shared;
	(void)read_static;
	return base_error(BASE_ABSENT, 0, "glibc's thread list is read on x86-64 only");
#endif
}

/* x86-64: tcbhead_t.self, which is also what fs:0x10 reads; see glibc's sysdeps/x86_64/nptl/tls.h.
 */
enum { PTHREAD_SELF_OFFSET = 0x10 };

/* The part of struct pthread a walk needs, read at once: one system call per thread. */
struct window {
	uint8_t bytes[PROBE_LIMIT_PTHREAD_OFFSET + 64];
	size_t n;
};

static uint64_t u64_at(const struct window *w, size_t offset)
{
	uint64_t value;

	memcpy(&value, w->bytes + offset, sizeof(value));
	return value;
}

static pid_t tid_at(const struct window *w, size_t offset)
{
	int32_t value;

	memcpy(&value, w->bytes + offset, sizeof(value));
	return value;
}

static size_t window_size(const struct probe_thread_list_layout *layout)
{
	size_t n = PTHREAD_SELF_OFFSET + sizeof(uint64_t);
	size_t next_end = (size_t)layout->pthread_list + layout->list_next + sizeof(uint64_t);
	size_t tid_end = (size_t)layout->pthread_tid + sizeof(int32_t);

	if (n < next_end)
		n = next_end;
	return n < tid_end ? tid_end : n;
}

static bool layout_is_sane(const struct probe_thread_list_layout *layout)
{
	return layout->list_next <= 32 && layout->pthread_list <= PROBE_LIMIT_PTHREAD_OFFSET &&
	       layout->pthread_tid <= PROBE_LIMIT_PTHREAD_OFFSET;
}

/* True when the walk came back to the head. */
static bool walk_one(const struct probe_remote *remote,
		     const struct probe_thread_list_layout *layout, uint64_t head, size_t max_steps,
		     struct probe_thread_list *list)
{
	struct window w = { .n = window_size(layout) };
	size_t next_milestone = 1;
	uint64_t node, milestone = head;

	if (probe_remote_read(remote, head + layout->list_next, &node, sizeof(node)) !=
	    PROBE_REMOTE_OK)
		return false;
	for (size_t step = 0; step < max_steps; step++) {
		uint64_t pthread;

		if (node == head)
			return true;
		/*
		 * A thread that ends meanwhile leads into the list of free stacks, which
		 * goes round for ever without meeting our head. A node kept from twice as long
		 * ago each time is met again soon after the circle was closed (Brent).
		 */
		if (node == milestone)
			return false;
		if (step == next_milestone) {
			milestone = node;
			next_milestone *= 2;
		}
		if (!sub_fits_u64(node, layout->pthread_list, &pthread))
			return false;
		if (probe_remote_read(remote, pthread, w.bytes, w.n) != PROBE_REMOTE_OK)
			return false;
		/* A stack that is being given back has no tid any more; the list goes on behind it.
		 */
		if (u64_at(&w, PTHREAD_SELF_OFFSET) == pthread &&
		    tid_at(&w, layout->pthread_tid) > 0)
			vec_push(&list->threads,
				 (struct probe_listed_thread){ tid_at(&w, layout->pthread_tid),
							       pthread });
		node = u64_at(&w, layout->pthread_list + layout->list_next);
	}
	return false;
}

static int compare_threads(const void *a, const void *b)
{
	const struct probe_listed_thread *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

/* A tid that two nodes claim belongs to neither: one of them is memory that only looks like a
 * thread. */
static void drop_contested(struct probe_thread_list *list)
{
	struct probe_listed_thread *at = list->threads.at;
	size_t kept = 0, n = list->threads.n;

	for (size_t i = 0; i < n;) {
		size_t same = i + 1;
		bool agree = true;

		while (same < n && at[same].tid == at[i].tid) {
			agree &= at[same].thread_pointer == at[i].thread_pointer;
			same++;
		}
		if (agree)
			at[kept++] = at[i];
		i = same;
	}
	list->threads.n = kept;
}

void probe_thread_list_walk(const struct probe_remote *remote,
			    const struct probe_thread_list_layout *layout, size_t max_steps,
			    struct probe_thread_list *ret)
{
	struct probe_thread_list list = { VEC_INIT, true };

	if (max_steps > PROBE_LIMIT_LIST_STEPS)
		max_steps = PROBE_LIMIT_LIST_STEPS;
	for (size_t i = 0; i < ARRAY_SIZE(layout->heads); i++)
		list.complete &= layout_is_sane(layout) &&
				 walk_one(remote, layout, layout->heads[i], max_steps, &list);
	if (list.threads.n)
		qsort(list.threads.at, list.threads.n, sizeof(*list.threads.at), compare_threads);
	drop_contested(&list);
	*ret = list;
}

void probe_thread_list_deinit(struct probe_thread_list *list)
{
	vec_deinit(&list->threads);
}

const struct probe_listed_thread *probe_thread_list_find(const struct probe_thread_list *list,
							 pid_t tid)
{
	struct probe_listed_thread key = { .tid = tid };

	if (!list->threads.n)
		return NULL;
	return bsearch(&key, list->threads.at, list->threads.n, sizeof(key), compare_threads);
}

/* The kernel refuses more ranges in one call. */
enum { BATCH = 1024 };

int probe_remote_errno(enum probe_remote_status status)
{
	switch (status) {
	case PROBE_REMOTE_OK:
		return 0;
	case PROBE_REMOTE_FAULT:
		return EFAULT;
	case PROBE_REMOTE_GONE:
		return ESRCH;
	case PROBE_REMOTE_DENIED:
		return EPERM;
	}
	return EINVAL;
}

static enum probe_remote_status status_of_errno(int errnum)
{
	if (errnum == ESRCH)
		return PROBE_REMOTE_GONE;
	if (errnum == EPERM || errnum == EACCES || errnum == ENOSYS)
		return PROBE_REMOTE_DENIED;
	return PROBE_REMOTE_FAULT;
}

static void set_all(struct probe_remote_range *ranges, size_t n, enum probe_remote_status status)
{
	for (size_t i = 0; i < n; i++)
		ranges[i].status = status;
}

/*
 * How many ranges from the front are settled after a call that moved `moved`
 * bytes: the whole ones are OK, the first that is not whole is a fault.
 */
static size_t settle(struct probe_remote_range *ranges, size_t n, size_t moved)
{
	for (size_t i = 0; i < n; i++) {
		if (moved < ranges[i].n) {
			ranges[i].status = PROBE_REMOTE_FAULT;
			return i + 1;
		}
		moved -= ranges[i].n;
		ranges[i].status = PROBE_REMOTE_OK;
	}
	return n;
}

static void process_read_many(const struct probe_remote *remote, struct probe_remote_range *ranges,
			      size_t n)
{
	const struct probe_remote_process *process = (const struct probe_remote_process *)remote;
	size_t done = 0;

	while (done < n) {
		struct iovec local[BATCH], foreign[BATCH];
		size_t batch = n - done < BATCH ? n - done : BATCH;
		ssize_t moved;

		for (size_t i = 0; i < batch; i++) {
			struct probe_remote_range *range = &ranges[done + i];

			local[i] = (struct iovec){ range->into, range->n };
			foreign[i] = (struct iovec){ (void *)(uintptr_t)range->address, range->n };
		}
		moved = process_vm_readv(process->pid, local, batch, foreign, batch, 0);
		if (moved >= 0) {
			done += settle(ranges + done, batch, (size_t)moved);
			continue;
		}
		if (status_of_errno(errno) != PROBE_REMOTE_FAULT) {
			set_all(ranges + done, n - done, status_of_errno(errno));
			return;
		}
		ranges[done++].status = PROBE_REMOTE_FAULT;
	}
}

void probe_remote_process_init(struct probe_remote_process *process, pid_t pid)
{
	*process = (struct probe_remote_process){ { process_read_many }, pid };
}
