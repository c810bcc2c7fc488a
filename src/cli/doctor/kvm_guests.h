/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The steps of `ktstr doctor --kvm` that start guests, with whatever accelerator. */
#ifndef KTSTR_CLI_DOCTOR_KVM_GUESTS_H
#define KTSTR_CLI_DOCTOR_KVM_GUESTS_H

#include "base/error.h"
#include "base/strbuf.h"
#include "vm/accel.h"

/* A cold boot of the default kernel. */
struct error *kvm_guests_boot(enum accel_wish wish, struct strbuf *notes) MUST_CHECK;
/* Machines of several shapes, each read back from inside. */
struct error *kvm_guests_topology(enum accel_wish wish, struct strbuf *notes) MUST_CHECK;
/* Twenty clones of one template, one after the other. */
struct error *kvm_guests_clones(enum accel_wish wish, struct strbuf *notes) MUST_CHECK;

#endif
