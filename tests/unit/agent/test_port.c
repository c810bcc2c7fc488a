// SPDX-License-Identifier: GPL-2.0-or-later
#include "agent/machine.h"

#include "scratch.h"

static void stage(const char *root)
{
	scratch_dir(root, "class");
	scratch_dir(root, "class/virtio-ports");
	scratch_dir(root, "class/virtio-ports/vport1p1");
	scratch_dir(root, "class/virtio-ports/vport1p2");
	scratch_dir(root, "class/virtio-ports/vport2p1");
	scratch_write(root, "class/virtio-ports/vport1p1/name", "ktstr.ctl.old\n");
	scratch_write(root, "class/virtio-ports/vport1p2/name", "ktstr.ctl\n");
}

static void a_port_is_found_by_its_name(void **state)
{
	_cleanup_free_ char *name = NULL;

	stage(*state);
	assert_success(agent_port_find(*state, AGENT_PORT_NAME, &name));
	assert_string_equal(name, "vport1p2");
}

static void no_port_of_that_name_or_no_ports_at_all(void **state)
{
	char *name = NULL;

	assert_error_tag(agent_port_find(*state, AGENT_PORT_NAME, &name), "agent-system");
	stage(*state);
	assert_error_tag(agent_port_find(*state, "ktstr", &name), "agent-system");
	assert_error_tag(agent_port_find(*state, "other", &name), "agent-system");
	assert_null(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		scratch_test(a_port_is_found_by_its_name),
		scratch_test(no_port_of_that_name_or_no_ports_at_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
