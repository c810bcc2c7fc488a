// SPDX-License-Identifier: LGPL-2.1-or-later
#include "observe/events.h"

#include "base/alloc.h"
#include "base/io.h"
#include "base/paths.h"

struct observe_observer {
	struct vm *vm;
	int fd;
};

static struct error *write_events(void *context, struct bytes events)
{
	struct observe_observer *o = context;
	struct error *err = io_write_all(o->fd, "the trace", events.at, events.n);

	return err ? error_recast(err, &observe_error_domain, OBSERVE_FILE) : NULL;
}

static struct error *begin(struct observe_observer *o, struct kmem *kmem,
			   const struct cancel *cancel)
{
	_cleanup_strbuf_ struct strbuf head = STRBUF_INIT;
	struct vm_observer wish = { .on_events = write_events, .context = o };
	struct observe_head described;
	struct observe_plan plan;
	struct json_writer w;
	struct error *err;

	observe_plan_make(kmem, &plan);
	observe_plan_describe(&plan, kmem, &described);
	w = json_writer_to(&head, JSON_COMPACT);
	json_rows_write(&observe_head_table, &described, &w);
	json_rows_deinit(&observe_head_table, &described);
	strbuf_append_char(&head, '\n');
	err = write_events(o, (struct bytes){ (const uint8_t *)head.at, head.n });
	wish.hooks = plan.hooks;
	wish.n = plan.n;
	wish.current_offset = plan.current_offset;
	if (!err)
		err = vm_observe(o->vm, &wish, cancel);
	observe_plan_deinit(&plan);
	return err;
}

struct error *observe_begin(struct vm *vm, int fd, const struct cancel *cancel,
			    struct observe_observer **ret)
{
	_cleanup_free_ char *cache = paths_cache(KMEM_CACHE_DIRECTORY);
	struct observe_observer *o;
	struct physmap *map = NULL;
	struct kmem_reader reader;
	struct kmem *kmem = NULL;
	struct error *err = vm_physmap(vm, &map);

	if (err)
		return err;
	reader = kmem_reader_of_physmap(map);
	err = kmem_attach(&reader, (struct bytes){ 0 }, cache, &kmem);
	o = xnew(struct observe_observer);
	*o = (struct observe_observer){ .vm = vm, .fd = fd };
	if (!err)
		err = begin(o, kmem, cancel);
	if (kmem && cache)
		error_free(kmem_save_cache(kmem, cache));
	kmem_free(kmem);
	physmap_free(map);
	if (err) {
		free(o);
		return err;
	}
	*ret = o;
	return NULL;
}

struct error *observe_end(struct observe_observer *observer)
{
	struct error *err = observer ? vm_take_events(observer->vm) : NULL;

	free(observer);
	return err;
}
