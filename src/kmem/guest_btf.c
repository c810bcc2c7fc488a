// SPDX-License-Identifier: LGPL-2.1-or-later
#include "kmem/guest_btf.h"

#include "base/alloc.h"

void kmem_btf_free(struct kmem_btf *btf)
{
	if (!btf)
		return;
	btf_free(btf->btf);
	free(btf->bytes);
	free(btf);
}

static struct error *xarray_form(const struct kmem *kmem, struct kmem_xarray_form *ret)
{
	const struct kmem_field *fields = kmem->fields.at;
	struct error *err = kmem_fields_require(&kmem->fields, KMEM_VIEW_XARRAY);

	if (err)
		return err;
	*ret = (struct kmem_xarray_form){
		.shift = fields[KMEM_F_XA_NODE_SHIFT].place.offset,
		.offset = fields[KMEM_F_XA_NODE_OFFSET].place.offset,
		.parent = fields[KMEM_F_XA_NODE_PARENT].place.offset,
		.slots = fields[KMEM_F_XA_NODE_SLOTS].place.offset,
		.n_slots = (uint32_t)(fields[KMEM_F_XA_NODE_SLOTS].place.size / 8),
	};
	return NULL;
}

struct error *kmem_idr(struct kmem *kmem, const char *symbol, struct kmem_walk *walk,
		       kmem_entry_fn fn, void *context)
{
	struct kmem_xarray_form form;
	uint64_t idr;
	struct error *err = xarray_form(kmem, &form);

	if (!err)
		err = kmem_symbol(kmem, symbol, &idr);
	if (!err)
		kmem_xarray(&kmem->space, &form, idr + kmem_offset(kmem, KMEM_F_IDR_HEAD), walk, fn,
			    context);
	return err;
}

struct btf_object {
	uint64_t data, size, base, kernel;
};

static struct error *read_object(struct kmem *kmem, uint64_t address, struct btf_object *ret)
{
	static const enum kmem_field_id ids[] = { KMEM_F_BTF_DATA, KMEM_F_BTF_DATA_SIZE,
						  KMEM_F_BTF_BASE };
	struct btf_object object = { 0 };
	uint64_t *into[] = { &object.data, &object.size, &object.base };
	struct error *err = kmem_fields_require(&kmem->fields, KMEM_VIEW_BTF);

	if (err)
		return err;
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		enum kmem_status status = kmem_get(kmem, ids[i], address, into[i]);

		if (status != KMEM_READ_OK)
			return kmem_unread(status, address, "struct btf");
	}
	if (kmem_get(kmem, KMEM_F_BTF_KERNEL, address, &object.kernel) != KMEM_READ_OK)
		object.kernel = 0;
	*ret = object;
	return NULL;
}

/* Only one thing can be stood on: the kernel's own types, which we have. */
static struct error *check_base(struct kmem *kmem, uint64_t base)
{
	uint64_t vmlinux;
	struct error *err = kmem_variable(kmem, "btf_vmlinux", 8, &vmlinux);

	if (err)
		return err;
	if (base != vmlinux || !kmem_types(kmem))
		return kmem_error(KMEM_NO_FIELD, 0, "types based on other types than the kernel's");
	return NULL;
}

struct error *kmem_btf_load(struct kmem *kmem, uint64_t address, struct kmem_btf **ret)
{
	_cleanup_kmem_btf_ struct kmem_btf *btf = xnew(struct kmem_btf);
	struct btf_object object;
	struct error *err = read_object(kmem, address, &object);

	if (!err && object.base)
		err = check_base(kmem, object.base);
	if (!err)
		err = alloc_checked(object.size, 1, KMEM_LIMIT_BTF_BYTES, "types of the guest",
				    &btf->bytes);
	if (!err)
		err = kmem_read_exact(&kmem->space, object.data, btf->bytes, object.size,
				      "types of the guest");
	if (err)
		return err;
	/* A name is for showing: without one it is still of use. */
	if (kmem_get_text(kmem, KMEM_F_BTF_NAME, address, btf->name, sizeof(btf->name)) !=
	    KMEM_READ_OK)
		btf->name[0] = 0;
	btf->is_kernel = object.kernel != 0;
	err = btf_parse_split((struct bytes){ btf->bytes, object.size },
			      object.base ? kmem_types(kmem) : NULL,
			      btf->name[0] ? btf->name : "types of a program", &btf->btf);
	if (err)
		return err;
	*ret = take_ptr(btf);
	return NULL;
}
