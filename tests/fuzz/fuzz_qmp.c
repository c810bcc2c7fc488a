// SPDX-License-Identifier: GPL-2.0-or-later
/* covers: src/vm/qemu/qmp_message.c */
/* Any line of a monitor: refused, or a message whose parts are those of the line. */
#include "fuzz.h"
#include "fuzz_json.h"
#include "vm/qemu/qmp.h"

static bool is_text(const char *ours, const struct json_value *theirs)
{
	struct json_text text = json_string(theirs);

	if (!ours || !text.at)
		return !ours && !text.at;
	/* A text ends at its first NUL. */
	return strlen(ours) == strnlen(text.at, text.n) && memcmp(ours, text.at, strlen(ours)) == 0;
}

static void check_parts(const struct vm_qmp_message *message, const struct json_value *root)
{
	const struct json_value *error = json_find(root, "error");

	switch (message->kind) {
	case VM_QMP_GREETING:
		FUZZ_MUST(message->value == json_find(root, "QMP") && message->value);
		break;
	case VM_QMP_RETURN:
		FUZZ_MUST(message->value == json_find(root, "return") && message->value);
		break;
	case VM_QMP_ERROR:
		FUZZ_MUST(message->text && is_text(message->text, json_find(error, "desc")));
		FUZZ_MUST(is_text(message->name, json_find(error, "class")));
		break;
	case VM_QMP_EVENT:
		FUZZ_MUST(message->name && is_text(message->name, json_find(root, "event")));
		FUZZ_MUST(message->value == json_find(root, "data"));
		break;
	}
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t n, size_t limit, unsigned int seed UNUSED)
{
	return fuzz_mutate_json(data, n, limit);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	_cleanup_vm_qmp_message_ struct vm_qmp_message message = { 0 };
	_cleanup_error_ struct error *err = NULL;
	const struct json_value *root;
	uint64_t id = 0;

	err = vm_qmp_message_parse((const char *)data, n, &message);
	if (err) {
		FUZZ_MUST(!message.doc && !message.name && !message.text);
		if (fuzz_is_json(data, n))
			fuzz_mark_deep();
		return 0;
	}
	fuzz_mark_deep();
	root = json_doc_root(message.doc);
	check_parts(&message, root);
	FUZZ_MUST(!json_find(root, "id") || json_get_u64(json_find(root, "id"), &id));
	FUZZ_MUST(message.id == id);
	return 0;
}
