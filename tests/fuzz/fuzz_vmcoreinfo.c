// SPDX-License-Identifier: GPL-2.0-or-later
/* covers: src/kmem/vmcoreinfo.c */
/* Any bytes as VMCOREINFO's text; behind an 'R', as a guest's RAM that is searched for it. */
#include "fuzz.h"

#include "kmem/vmcoreinfo.h"

static void use(const struct kmem_vmcoreinfo *info)
{
	char name[64];
	uint64_t value;

	if (!info->release[0] || (info->levels != 4 && info->levels != 5))
		__builtin_trap();
	for (size_t i = 0; i < info->lines.n; i++) {
		const struct kmem_note_line *line = &info->lines.at[i];

		if (!kmem_vmcoreinfo_find(info, line->key))
			__builtin_trap();
		if (kmem_note_line_symbol(line, name, sizeof(name), &value) &&
		    !strstr(line->key, name))
			__builtin_trap();
	}
}

static void parse(struct bytes text)
{
	struct kmem_vmcoreinfo info = { 0 };
	struct error *err = kmem_vmcoreinfo_parse(text, &info);

	if (!err)
		use(&info);
	else if (info.text || info.lines.n)
		__builtin_trap();
	error_free(err);
	kmem_vmcoreinfo_deinit(&info);
}

static void search(struct bytes ram)
{
	struct kmem_reader reader = kmem_reader_of_bytes(ram, 0);
	struct kmem_note_scan scan;
	struct kmem_note note;
	bool found = true;

	kmem_note_scan_init(&scan, &reader);
	while (found) {
		if (kmem_note_scan_next(&scan, &note, &found))
			__builtin_trap();
		if (found)
			parse((struct bytes){ note.text, note.n });
	}
	kmem_note_scan_deinit(&scan);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	if (n && data[0] == 'R') {
		if (n > 4 && memcmp(data + 1, "\x0b\0\0\0", 4) == 0)
			fuzz_mark_deep();
		search((struct bytes){ data + 1, n - 1 });
		return 0;
	}
	if (n > 10 && memcmp(data, "OSRELEASE=", 10) == 0)
		fuzz_mark_deep();
	parse((struct bytes){ data, n });
	return 0;
}
