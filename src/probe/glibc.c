// SPDX-License-Identifier: LGPL-2.1-or-later
#include "probe/glibc.h"

#include <string.h>

#include "base/bytes.h"
#include "elf/symbol.h"

/*      id                   name after _thread_db_                      needed for */
#define DESCRIPTORS(X)                                                                       \
	X(LIST_NEXT, "list_t_next", NEEDED_ALWAYS)                                           \
	X(PTHREAD_LIST, "pthread_list", NEEDED_ALWAYS)                                       \
	X(PTHREAD_TID, "pthread_tid", NEEDED_ALWAYS)                                         \
	X(RTLD_STACK_USED, "rtld_global__dl_stack_used", NEEDED_IF_SHARED)                   \
	X(RTLD_STACK_USER, "rtld_global__dl_stack_user", NEEDED_IF_SHARED)                   \
	X(PTHREAD_DTVP, "pthread_dtvp", NEEDED_FOR_LIBRARIES)                                \
	X(DTV_DTV, "dtv_dtv", NEEDED_FOR_LIBRARIES)                                          \
	X(DTV_POINTER_VAL, "dtv_t_pointer_val", NEEDED_FOR_LIBRARIES)                        \
	X(LINK_MAP_TLS_MODID, "link_map_l_tls_modid", NEEDED_FOR_LIBRARIES)                  \
	X(LINK_MAP_TLS_OFFSET, "link_map_l_tls_offset", NEEDED_FOR_LIBRARIES)                \
	X(RTLD_SLOTINFO_LIST, "rtld_global__dl_tls_dtv_slotinfo_list", NEEDED_FOR_LIBRARIES) \
	X(SLOTINFO_LIST_LEN, "dtv_slotinfo_list_len", NEEDED_FOR_LIBRARIES)                  \
	X(SLOTINFO_LIST_NEXT, "dtv_slotinfo_list_next", NEEDED_FOR_LIBRARIES)                \
	X(SLOTINFO_LIST_SLOTS, "dtv_slotinfo_list_slotinfo", NEEDED_FOR_LIBRARIES)           \
	X(SLOTINFO_GEN, "dtv_slotinfo_gen", NEEDED_FOR_LIBRARIES)

enum need { NEEDED_ALWAYS, NEEDED_IF_SHARED, NEEDED_FOR_LIBRARIES };

#define DESCRIPTOR_ENUM(id, name, need) id,
enum descriptor_id { DESCRIPTORS(DESCRIPTOR_ENUM) N_DESCRIPTORS };

#define DESCRIPTOR_NAME(id, name, need) "_thread_db_" name,
static const char *const descriptor_names[] = { DESCRIPTORS(DESCRIPTOR_NAME) };

#define DESCRIPTOR_NEED(id, name, need) need,
static const enum need descriptor_needs[] = { DESCRIPTORS(DESCRIPTOR_NEED) };

struct descriptor {
	bool found;
	uint32_t bits;
	uint32_t offset;
};

/* Fields of rtld_global lie within it (about 4.5 KB); of other structs far lower. */
enum { MAX_FIELD_OFFSET = 65536 };

static struct error *read_descriptors(struct elf_image *libc, struct descriptor *ret)
{
	struct elf_symbol symbols[N_DESCRIPTORS];
	bool found[N_DESCRIPTORS];
	struct error *err;

	err = elf_symbol_find_all_named(libc, descriptor_names, N_DESCRIPTORS, symbols, found);
	if (err)
		return err;
	for (int i = 0; i < N_DESCRIPTORS; i++) {
		uint8_t raw[12];
		struct cursor c = cursor_over((struct bytes){ raw, sizeof(raw) });

		ret[i] = (struct descriptor){ 0 };
		if (!found[i])
			continue;
		err = elf_image_read_vaddr(libc, symbols[i].value, raw, sizeof(raw));
		if (err)
			return error_wrap(err, "%s", descriptor_names[i]);
		ret[i].bits = cursor_u32(&c);
		cursor_u32(&c); /* how many: always one, or unknown */
		ret[i].offset = cursor_u32(&c);
		ret[i].found = ret[i].offset <= MAX_FIELD_OFFSET;
	}
	return NULL;
}

static const char *first_missing(const struct descriptor *d, enum need need)
{
	for (int i = 0; i < N_DESCRIPTORS; i++)
		if (descriptor_needs[i] == need && !d[i].found)
			return descriptor_names[i];
	return NULL;
}

static struct error *symbol_address(const struct objects *objects, struct object *object,
				    const char *name, uint64_t *ret)
{
	struct elf_symbol symbol;
	uint64_t bias;
	struct error *err;

	err = elf_symbol_find_named(object->image, name, &symbol);
	if (!err)
		err = object_load_bias(objects, object, &bias);
	if (err)
		return error_wrap(err, "%s in %s", name, object->path);
	*ret = symbol.value + bias;
	return NULL;
}

static struct error *take_thread_fields(const struct descriptor *d, struct glibc_layout *ret)
{
	if (d[PTHREAD_TID].bits != 32 || d[LIST_NEXT].bits != 64)
		return base_error(BASE_ABSENT, 0, "unknown widths in libc's thread descriptors");
	ret->threads.list_next = d[LIST_NEXT].offset;
	ret->threads.pthread_list = d[PTHREAD_LIST].offset;
	ret->threads.pthread_tid = d[PTHREAD_TID].offset;
	return NULL;
}

static void take_library_fields(const struct descriptor *d, struct glibc_layout *ret)
{
	ret->link_map_tls_modid = d[LINK_MAP_TLS_MODID].offset;
	ret->link_map_tls_offset = d[LINK_MAP_TLS_OFFSET].offset;
	ret->pthread_dtvp = d[PTHREAD_DTVP].offset;
	ret->dtv_slot_bytes = d[DTV_DTV].bits / 8;
	ret->dtv_pointer_val = d[DTV_POINTER_VAL].offset;
	ret->slotinfo_list_len = d[SLOTINFO_LIST_LEN].offset;
	ret->slotinfo_list_next = d[SLOTINFO_LIST_NEXT].offset;
	ret->slotinfo_list_slots = d[SLOTINFO_LIST_SLOTS].offset;
	ret->slotinfo_bytes = d[SLOTINFO_LIST_SLOTS].bits / 8;
	ret->slotinfo_gen = d[SLOTINFO_GEN].offset;
}

/* A dynamically linked process: libc.so has the descriptors, ld.so the lists. */
static struct error *read_shared(struct objects *objects, struct object *libc,
				 struct glibc_layout *ret)
{
	struct object *loader = objects_find_defining(objects, "ld-", "_rtld_global");
	struct descriptor d[N_DESCRIPTORS];
	struct glibc_layout layout = { 0 };
	const char *missing;
	uint64_t rtld_global;
	struct error *err;

	if (!loader)
		loader = objects_find_defining(objects, "ld.so", "_rtld_global");
	if (!loader)
		return base_error(BASE_ABSENT, 0, "no mapped loader defines _rtld_global");
	err = read_descriptors(libc->image, d);
	if (err)
		return err;
	missing = first_missing(d, NEEDED_ALWAYS);
	if (!missing)
		missing = first_missing(d, NEEDED_IF_SHARED);
	if (missing)
		return base_error(BASE_ABSENT, 0, "%s has no %s: not glibc 2.34 or later",
				  libc->path, missing);
	err = take_thread_fields(d, &layout);
	if (!err)
		err = symbol_address(objects, loader, "_rtld_global", &rtld_global);
	if (err)
		return err;
	layout.threads.heads[0] = rtld_global + d[RTLD_STACK_USED].offset;
	layout.threads.heads[1] = rtld_global + d[RTLD_STACK_USER].offset;
	if (!first_missing(d, NEEDED_FOR_LIBRARIES)) {
		_cleanup_error_ struct error *no_debug = symbol_address(objects, loader, "_r_debug",
									&layout.r_debug);

		take_library_fields(d, &layout);
		layout.slotinfo_list = rtld_global + d[RTLD_SLOTINFO_LIST].offset;
		layout.has_libraries = !no_debug && layout.dtv_slot_bytes && layout.slotinfo_bytes;
	}
	*ret = layout;
	return NULL;
}

/* A static program has the lists as symbols of its own, unless it was stripped or never made a
 * thread. */
static struct error *read_static(struct objects *objects, struct object *program,
				 struct glibc_layout *ret)
{
	struct descriptor d[N_DESCRIPTORS];
	struct glibc_layout layout = { 0 };
	const char *missing;
	struct error *err;

	err = read_descriptors(program->image, d);
	if (err)
		return err;
	missing = first_missing(d, NEEDED_ALWAYS);
	if (missing)
		return base_error(BASE_ABSENT, 0, "%s has no %s: stripped, or not glibc",
				  program->path, missing);
	err = take_thread_fields(d, &layout);
	if (!err)
		err = symbol_address(objects, program, "_dl_stack_used", &layout.threads.heads[0]);
	if (!err)
		err = symbol_address(objects, program, "_dl_stack_user", &layout.threads.heads[1]);
	if (err)
		return err;
	*ret = layout;
	return NULL;
}

struct error *glibc_layout_read(struct objects *objects, struct glibc_layout *ret)
{
#if defined(__x86_64__)
	struct object *libc = objects_find_defining(objects, "libc.so.6",
						    descriptor_names[PTHREAD_TID]);

	if (!libc)
		libc = objects_find_defining(objects, "libc-2.", descriptor_names[PTHREAD_TID]);
	if (libc)
		return read_shared(objects, libc, ret);
	if (objects_unreadable(objects, "libc.so.6"))
		return base_error(BASE_ABSENT, 0, "%s",
				  error_message(objects_unreadable(objects, "libc.so.6")));
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
