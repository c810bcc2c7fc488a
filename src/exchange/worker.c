// SPDX-License-Identifier: LGPL-2.1-or-later
#include "exchange/worker.h"

#include <stdlib.h>
#include <string.h>

void exchange_worker_deinit(struct exchange_worker *worker)
{
	free(worker->cgroup);
	free(worker->kind);
	free(worker->end);
	*worker = (struct exchange_worker){ 0 };
}

bool exchange_worker_never_started(const struct exchange_worker *worker)
{
	return strcmp(worker->end, "never-started") == 0;
}

bool exchange_worker_was_killed(const struct exchange_worker *worker)
{
	return strcmp(worker->end, "killed") == 0 || strcmp(worker->end, "stuck") == 0;
}

bool exchange_worker_worked_to_the_end(const struct exchange_worker *worker)
{
	return strcmp(worker->end, "finished") == 0 || exchange_worker_was_killed(worker);
}
