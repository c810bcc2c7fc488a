/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef KTSTR_WIRE_ERROR_H
#define KTSTR_WIRE_ERROR_H

#include "base/error.h"

#define WIRE_ERRORS(X)                                                                           \
	X(WIRE_BAD_MAGIC, "wire-magic", "no frame begins at this position of the stream")        \
	X(WIRE_BAD_VERSION, "wire-version", "the other side uses another protocol version")      \
	X(WIRE_BAD_HEADER, "wire-header", "the header's checksum or a reserved field is wrong")  \
	X(WIRE_BAD_LENGTH, "wire-length", "a payload is longer than the protocol allows")        \
	X(WIRE_BAD_PAYLOAD, "wire-payload", "the payload's checksum is wrong")                   \
	X(WIRE_OTHER_SESSION, "wire-session", "a frame of another session was dropped")          \
	X(WIRE_GAP, "wire-gap", "frames are missing")                                            \
	X(WIRE_REORDERED, "wire-reordered", "a frame came late or twice")                        \
	X(WIRE_BAD_TYPE, "wire-type", "the frame's type is unknown or not the sender's to send") \
	X(WIRE_MALFORMED, "wire-malformed", "a message does not have the form of its type")
DECLARE_ERROR_DOMAIN(wire, WIRE, WIRE_ERRORS);

#endif
