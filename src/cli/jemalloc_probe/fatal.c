// SPDX-License-Identifier: GPL-2.0-or-later
#include "cli/jemalloc_probe/jemalloc_probe.h"

DEFINE_ERROR_DOMAIN(fatal, FATAL, FATAL_ERRORS);

const char *fatal_tag(const struct error *err)
{
	const struct error_domain *domain = error_domain_of(err);

	if (domain == &probe_attach_error_domain || domain == &fatal_error_domain)
		return error_tag(err);
	return fatal_error_domain.kinds[FATAL_OTHER].tag;
}
