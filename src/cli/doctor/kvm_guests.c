// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/doctor/kvm_guests.h"

static struct error *not_yet(void)
{
	return base_error(BASE_ABSENT, 0, "this build starts no guests");
}

struct error *kvm_guests_boot(struct strbuf *notes UNUSED)
{
	return not_yet();
}

struct error *kvm_guests_topology(struct strbuf *notes UNUSED)
{
	return not_yet();
}

struct error *kvm_guests_clones(struct strbuf *notes UNUSED)
{
	return not_yet();
}
