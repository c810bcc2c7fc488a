// SPDX-License-Identifier: LGPL-2.1-or-later
#include "vm/model.h"

#include "base/clock.h"
#include "vm/error.h"
#include "vm/state.h"

enum {
	/* A guest's second may take as many of the host's; the limit is for one that hangs. */
	SLOWEST = 120,
};

#define ROW(member) JSON_SCALAR(struct vm_model, member), .presence = JSON_REQUIRED

static const struct json_row model_rows[] = {
	{ ROW(cpus), .means = "CPUs that were measured" },
	{ ROW(alone_kips), .means = "thousands of instructions per second of one CPU alone" },
	{ ROW(busy_kips), .means = "of one CPU while all are busy" },
	{ ROW(total_kips), .means = "of all CPUs together" },
	{ ROW(tick_ppm), .means = "share of a busy CPU's time that interrupts take" },
	{ ROW(turn_ns), .means = "turn of one CPU while all are busy" },
	{ ROW(step_max_ns), .means = "longest time for which a busy CPU did not run" },
	{ ROW(wake_quiet_p50_ns), .means = "wake-up of a task on another CPU, all others idle" },
	{ ROW(wake_quiet_max_ns), .means = "the longest of them" },
	{ ROW(wake_busy_p50_ns), .means = "the same, all others busy" },
	{ ROW(wake_busy_max_ns), .means = "the longest of them" },
	{ ROW(ipi_quiet_p50_ns),
	  .means = "interrupt to another CPU and its answer, all others idle" },
	{ ROW(ipi_quiet_max_ns), .means = "the longest of them" },
	{ ROW(ipi_busy_p50_ns), .means = "the same, all others busy" },
	{ ROW(ipi_busy_max_ns), .means = "the longest of them" },
	{ ROW(timer_p50_ns), .means = "lateness of a timer, all others busy" },
	{ ROW(timer_max_ns), .means = "the longest of them" },
};

const struct json_rows vm_model_table = { JSON_TABLE(model_rows) };

struct error *vm_model_decode(struct bytes payload, struct vm_model *ret)
{
	struct wire_measured m;
	struct error *err = wire_measured_decode(payload, &m);

	if (err)
		return error_recast(err, &vm_error_domain, VM_AGENT);
	if (m.cpus == 0)
		return vm_error(VM_AGENT, 0, "the guest measured no CPU");
	*ret = (struct vm_model){
		.cpus = m.cpus,
		.alone_kips = m.alone_kips,
		.busy_kips = m.busy_kips,
		.total_kips = m.total_kips,
		.tick_ppm = m.tick_ppm,
		.turn_ns = m.turn_ns,
		.step_max_ns = m.step_max_ns,
		.wake_quiet_p50_ns = m.wake_quiet_p50_ns,
		.wake_quiet_max_ns = m.wake_quiet_max_ns,
		.wake_busy_p50_ns = m.wake_busy_p50_ns,
		.wake_busy_max_ns = m.wake_busy_max_ns,
		.ipi_quiet_p50_ns = m.ipi_quiet_p50_ns,
		.ipi_quiet_max_ns = m.ipi_quiet_max_ns,
		.ipi_busy_p50_ns = m.ipi_busy_p50_ns,
		.ipi_busy_max_ns = m.ipi_busy_max_ns,
		.timer_p50_ns = m.timer_p50_ns,
		.timer_max_ns = m.timer_max_ns,
	};
	return NULL;
}

struct error *vm_measure(struct vm *vm, uint32_t phase_ms, const struct cancel *cancel,
			 struct vm_model *ret)
{
	/* Processes are started on all CPUs, which takes time as booting them does. */
	uint64_t limit_ns = vm_boot_timeout_ns(&vm->accel, topo_cpus(&vm->topology)) +
			    SLOWEST * VM_MODEL_PHASES * (uint64_t)phase_ms * NS_PER_MS;
	_cleanup_strbuf_ struct strbuf payload = STRBUF_INIT;
	struct wire_frame frame;
	struct error *err;

	wire_measure_encode(&(struct wire_measure){ .phase_ms = phase_ms }, &payload);
	err = vm_ask(vm,
		     &(struct vm_request){ WIRE_MEASURE, WIRE_MEASURED, &payload,
					   clock_monotonic_ns() + limit_ns },
		     cancel, &frame);
	if (!err)
		err = vm_model_decode(frame.payload, ret);
	return error_wrap(err, "measuring the machine");
}
