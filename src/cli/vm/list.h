/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `ktstr vm list`: the VMs of this user, as a table or as JSON. */
#ifndef KTSTR_CLI_VM_LIST_H
#define KTSTR_CLI_VM_LIST_H

#include "text/table.h"
#include "vm/run/run.h"

/* now_sec is Unix time. */
void vm_list_format_table(const struct vm_run_list *list, uint64_t now_sec,
			  const struct text_look *look, struct strbuf *into);
void vm_list_format_json(const struct vm_run_list *list, uint64_t now_sec, struct strbuf *into);

#endif
