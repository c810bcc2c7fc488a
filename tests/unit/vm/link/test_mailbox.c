// SPDX-License-Identifier: GPL-2.0-or-later
/* The guest's side of the memory is hostile; tests/vm has real guests. */
#include "vm/link/mailbox.h"

#include "unit.h"

struct box {
	struct vm_mailbox mailbox;
	uint8_t *memory;
};

static int setup(void **state)
{
	struct box *box = calloc(1, sizeof(*box));

	box->memory = calloc(1, WIRE_MAILBOX_BYTES);
	box->mailbox.head = (struct wire_mailbox *)box->memory;
	*state = box;
	return 0;
}

static int teardown(void **state)
{
	struct box *box = *state;

	free(box->memory);
	free(box);
	return 0;
}

/* As a guest that waits. */
static void guest_waits(struct box *box, const char *output, enum wire_mailbox_ask asks)
{
	size_t n = strlen(output);

	memcpy(box->memory + WIRE_MAILBOX_OUT_AT + box->mailbox.head->out_n, output, n);
	box->mailbox.head->out_n += (uint32_t)n;
	box->mailbox.head->asks = asks;
	vm_mailbox_hear(&box->mailbox, "TW", 2);
}

static void assert_taken(struct box *box, const char *text)
{
	struct bytes got;

	assert_success(vm_mailbox_take(&box->mailbox, &got));
	assert_int_equal(got.n, strlen(text));
	assert_memory_equal(got.at, text, got.n);
}

static void output_is_taken_once_and_input_is_put_when_asked_for(void **state)
{
	struct box *box = *state;
	bool go;

	guest_waits(box, "first", WIRE_MAILBOX_ASK_INPUT);
	assert_taken(box, "first");
	assert_taken(box, "");
	assert_success(vm_mailbox_settle_hold(&box->mailbox, &go));
	assert_false(go);
	assert_true(box->mailbox.wants_input);
	assert_int_equal(box->mailbox.head->out_n, 0);
	assert_int_equal(vm_mailbox_put(&box->mailbox, "input", 5), 5);
	assert_false(box->mailbox.wants_input);
	assert_int_equal(box->mailbox.head->in_n, 5);
	assert_int_equal(box->mailbox.head->in_more, 0);
	assert_memory_equal(box->memory + WIRE_MAILBOX_IN_AT, "input", 5);
	guest_waits(box, "second", WIRE_MAILBOX_ASK_INPUT);
	assert_taken(box, "second");
}

static void one_that_wants_room_is_let_go_at_once(void **state)
{
	struct box *box = *state;
	bool go;

	guest_waits(box, "much", WIRE_MAILBOX_ASK_ROOM);
	assert_taken(box, "much");
	assert_success(vm_mailbox_settle_hold(&box->mailbox, &go));
	assert_true(go);
	assert_false(box->mailbox.held);
	assert_int_equal(box->mailbox.head->out_n, 0);
}

/* It was stopped between its instructions to wait and to read. */
static void one_that_has_not_read_its_input_is_let_go(void **state)
{
	struct box *box = *state;
	bool go;

	assert_int_equal(vm_mailbox_put(&box->mailbox, "input", 5), 5);
	guest_waits(box, "", WIRE_MAILBOX_ASK_INPUT);
	assert_success(vm_mailbox_settle_hold(&box->mailbox, &go));
	assert_true(go);
	assert_false(box->mailbox.held);
	assert_int_equal(box->mailbox.head->in_n, 5);
}

static void input_that_does_not_fit_is_announced(void **state)
{
	struct box *box = *state;
	char *much = calloc(1, WIRE_MAILBOX_IN_BYTES + 1);

	assert_int_equal(vm_mailbox_put(&box->mailbox, much, WIRE_MAILBOX_IN_BYTES + 1),
			 WIRE_MAILBOX_IN_BYTES);
	assert_true(box->mailbox.head->in_more);
	free(much);
}

static void counts_that_cannot_be_are_an_error(void **state)
{
	struct box *box = *state;
	struct bytes got;
	bool go;

	box->mailbox.head->out_n = WIRE_MAILBOX_OUT_BYTES + 1;
	assert_error_tag(vm_mailbox_take(&box->mailbox, &got), "agent");
	box->mailbox.head->out_n = 10;
	assert_success(vm_mailbox_take(&box->mailbox, &got));
	box->mailbox.head->out_n = 9;
	assert_error_tag(vm_mailbox_take(&box->mailbox, &got), "agent");
	box->mailbox.head->asks = 77;
	box->mailbox.held = true;
	assert_error_tag(vm_mailbox_settle_hold(&box->mailbox, &go), "agent");
}

static void a_process_without_such_memory_is_an_error(void **state)
{
	struct box *box = *state;

	assert_error_tag(vm_mailbox_find(&box->mailbox, getpid()), "qemu-failed");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			output_is_taken_once_and_input_is_put_when_asked_for, setup, teardown),
		cmocka_unit_test_setup_teardown(one_that_wants_room_is_let_go_at_once, setup,
						teardown),
		cmocka_unit_test_setup_teardown(one_that_has_not_read_its_input_is_let_go, setup,
						teardown),
		cmocka_unit_test_setup_teardown(input_that_does_not_fit_is_announced, setup,
						teardown),
		cmocka_unit_test_setup_teardown(counts_that_cannot_be_are_an_error, setup,
						teardown),
		cmocka_unit_test_setup_teardown(a_process_without_such_memory_is_an_error, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
