// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/qemu/qmp.h"

#include "base/alloc.h"

static char *text_of(const struct json_value *object, const char *name)
{
	struct json_text text = json_string(json_find(object, name));

	return text.at ? xstrndup(text.at, text.n) : NULL;
}

static struct error *classify(const struct json_value *root, struct vm_qmp_message *message)
{
	const struct json_value *value;

	if ((value = json_find(root, "QMP")) != NULL) {
		message->kind = VM_QMP_GREETING;
		message->value = value;
	} else if ((value = json_find(root, "return")) != NULL) {
		message->kind = VM_QMP_RETURN;
		message->value = value;
	} else if ((value = json_find(root, "error")) != NULL) {
		message->kind = VM_QMP_ERROR;
		message->name = text_of(value, "class");
		message->text = text_of(value, "desc");
		if (!message->text)
			return vm_error(VM_QMP, 0, "an error without a description");
	} else if ((message->name = text_of(root, "event")) != NULL) {
		message->kind = VM_QMP_EVENT;
		message->value = json_find(root, "data");
	} else {
		return vm_error(VM_QMP, 0, "not a greeting, an answer or an event");
	}
	value = json_find(root, "id");
	if (value && !json_get_u64(value, &message->id))
		return vm_error(VM_QMP, 0, "an answer without a command");
	return NULL;
}

struct error *vm_qmp_message_parse(const char *line, size_t n, struct vm_qmp_message *ret)
{
	_cleanup_vm_qmp_message_ struct vm_qmp_message message = { 0 };
	struct error *err;

	err = json_doc_parse(line, n, "a line of QEMU's monitor", &message.doc);
	if (err)
		return error_recast(err, &vm_error_domain, VM_QMP);
	err = classify(json_doc_root(message.doc), &message);
	if (err)
		return err;
	*ret = message;
	message = (struct vm_qmp_message){ 0 };
	return NULL;
}

void vm_qmp_message_deinit(struct vm_qmp_message *message)
{
	json_doc_free(message->doc);
	free(message->name);
	free(message->text);
	*message = (struct vm_qmp_message){ 0 };
}
