// SPDX-License-Identifier: LGPL-2.1-or-later
#include "ctprof/walk/parts.h"

#include <unistd.h>

static void process_free(struct ctprof_walk_process *process)
{
	close(process->task_folder);
	free(process->tids);
	free(process);
}

void ctprof_walk_queue_init(struct ctprof_walk_queue *queue, size_t n_processes)
{
	*queue = (struct ctprof_walk_queue){ .n = n_processes };
	pthread_mutex_init(&queue->lock, NULL);
	pthread_cond_init(&queue->changed, NULL);
}

void ctprof_walk_queue_deinit(struct ctprof_walk_queue *queue)
{
	for (size_t i = 0; i < queue->shared.n; i++)
		process_free(queue->shared.at[i]);
	vec_deinit(&queue->shared);
	pthread_cond_destroy(&queue->changed);
	pthread_mutex_destroy(&queue->lock);
}

/* With the lock held. */
static bool take_chunk(struct ctprof_walk_queue *queue, struct ctprof_walk_item *ret)
{
	for (size_t i = 0; i < queue->shared.n; i++) {
		struct ctprof_walk_process *process = queue->shared.at[i];
		size_t left = process->n - process->next;

		if (left == 0)
			continue;
		*ret = (struct ctprof_walk_item){
			.process = process,
			.begin = process->next,
			.end = process->next +
			       (left < CTPROF_WALK_CHUNK ? left : CTPROF_WALK_CHUNK),
		};
		process->next = ret->end;
		process->users++;
		return true;
	}
	return false;
}

bool ctprof_walk_queue_take(struct ctprof_walk_queue *queue, struct ctprof_walk_item *ret)
{
	bool taken = true;

	pthread_mutex_lock(&queue->lock);
	for (;;) {
		/* What is listed already gets old. */
		if (take_chunk(queue, ret))
			break;
		if (queue->next < queue->n) {
			*ret = (struct ctprof_walk_item){ .index = queue->next++ };
			queue->listing++;
			break;
		}
		taken = queue->listing > 0;
		if (!taken)
			break;
		pthread_cond_wait(&queue->changed, &queue->lock);
	}
	pthread_mutex_unlock(&queue->lock);
	return taken;
}

/* With the lock held. */
static void forget(struct ctprof_walk_queue *queue, const struct ctprof_walk_process *process)
{
	size_t i = 0;

	while (queue->shared.at[i] != process)
		i++;
	queue->shared.at[i] = queue->shared.at[--queue->shared.n];
}

void ctprof_walk_queue_done(struct ctprof_walk_queue *queue, const struct ctprof_walk_item *item,
			    struct ctprof_walk_process *share)
{
	struct ctprof_walk_process *process = item->process;

	pthread_mutex_lock(&queue->lock);
	if (!process) {
		queue->listing--;
		if (share)
			vec_push(&queue->shared, share);
		if (share || queue->listing == 0)
			pthread_cond_broadcast(&queue->changed);
	} else if (--process->users == 0 && process->next == process->n) {
		forget(queue, process);
		process_free(process);
	}
	pthread_mutex_unlock(&queue->lock);
}
