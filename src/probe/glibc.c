// SPDX-License-Identifier: LGPL-2.1-or-later
#include "probe/glibc.h"

#include <string.h>

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
