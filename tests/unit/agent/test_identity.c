// SPDX-License-Identifier: GPL-2.0-or-later
#include "agent/agent.h"

#include "unit.h"

static const uint8_t zero[WIRE_NONCE_BYTES];
static const uint8_t first[WIRE_NONCE_BYTES] = "the first nonce";
static const uint8_t second[WIRE_NONCE_BYTES] = { [15] = 1 };

static void the_page_has_the_layout_of_the_protocol(void **state UNUSED)
{
	struct agent_identity *id = NULL;
	const uint8_t *page;

	assert_success(agent_identity_new(&id));
	page = (const uint8_t *)id;
	assert_int_equal((uintptr_t)page % (uintptr_t)sysconf(_SC_PAGESIZE), 0);
	agent_identity_hello(id, first);
	assert_memory_equal(page, "KTSTRID1", 8);
	assert_memory_equal(page + 8, first, 16);
	assert_int_equal(page[24], 1);
	agent_identity_free(id);
}

static void zeros_keep_the_nonce_and_count(void **state UNUSED)
{
	struct agent_identity *id = NULL;

	assert_success(agent_identity_new(&id));
	assert_int_equal(id->generation, 0);
	agent_identity_hello(id, zero);
	assert_memory_equal(id->nonce, zero, sizeof(zero));
	agent_identity_hello(id, first);
	agent_identity_hello(id, zero);
	assert_memory_equal(id->nonce, first, sizeof(first));
	assert_int_equal(id->generation, 3);
	agent_identity_hello(id, second);
	assert_memory_equal(id->nonce, second, sizeof(second));
	agent_identity_free(id);
}

static void the_identity_page_has_a_constant_page_aligned_address(void **state UNUSED)
{
	struct agent_identity *id = NULL, *other = NULL;
	uint64_t phys;

	assert_success(agent_identity_new(&id));
	assert_success(agent_identity_new(&other));
	phys = agent_identity_phys(id);
	skip_unless(phys, "the kernel does not tell physical addresses to this process");
	assert_int_equal(phys % (uint64_t)sysconf(_SC_PAGESIZE), 0);
	assert_int_not_equal(phys, agent_identity_phys(other));
	agent_identity_hello(id, first);
	assert_int_equal(agent_identity_phys(id), phys);
	agent_identity_free(id);
	agent_identity_free(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_page_has_the_layout_of_the_protocol),
		cmocka_unit_test(zeros_keep_the_nonce_and_count),
		cmocka_unit_test(the_identity_page_has_a_constant_page_aligned_address),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
