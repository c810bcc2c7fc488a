// SPDX-License-Identifier: GPL-2.0-or-later
#include <ktstr/short.h>

KTSTR_TEST(same_name) = { .cgroups = { { .name = "a" } } };
