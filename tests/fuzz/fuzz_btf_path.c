// SPDX-License-Identifier: GPL-2.0-or-later
/* covers: src/btf/path.c src/btf/layout.c src/base/suggest.c */
/* Two texts that end with NUL, a type and a path, then BTF. */
#include "fuzz.h"

#include <string.h>

#include "btf/path.h"

static void check_place(const struct btf *btf, const struct btf_place *place)
{
	uint64_t size;

	if (place->bit_offset > 7 || (!place->bits && place->bit_offset))
		__builtin_trap();
	if (place->bits && place->size != (place->bit_offset + place->bits + 7) / 8)
		__builtin_trap();
	if (!place->bits && btf_size(btf, place->type, &size) == BTF_ANSWER_OK &&
	    size != place->size)
		__builtin_trap();
}

static void follow(const struct btf *btf, uint32_t root, const char *path)
{
	struct btf_place place = { 0 };
	struct error *err = btf_path(btf, root, path, &place);

	if (!err)
		check_place(btf, &place);
	else if (!strlen(error_message(err)))
		__builtin_trap();
	error_free(err);
}

static void ask(const struct btf *btf, const char *name, const char *path)
{
	struct btf_place place;
	struct btf_type type;
	struct error *err = btf_require(btf, name, &type);

	if (!err)
		follow(btf, type.id, path);
	error_free(err);
	err = btf_field(btf, name, path, &place);
	if (!err)
		check_place(btf, &place);
	else if (!strlen(error_message(err)))
		__builtin_trap();
	error_free(err);
	for (uint32_t id = 1; id <= btf_n_types(btf) && id < 12; id++)
		follow(btf, id, path);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct cursor c = cursor_over((struct bytes){ data, n });
	const char *name = cursor_string(&c), *path = cursor_string(&c);
	struct btf *btf = NULL;
	struct error *err;

	if (!name || !path)
		return 0;
	err = btf_parse((struct bytes){ data + c.offset, n - c.offset }, "fuzz", &btf);
	if (!err) {
		fuzz_mark_deep();
		ask(btf, name, path);
	} else if (!error_is(err, &btf_error_domain, BTF_NOT_BTF)) {
		fuzz_mark_deep();
	}
	error_free(err);
	btf_free(btf);
	return 0;
}
