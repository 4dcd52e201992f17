/* Specs of pods by their bytes.  Pods of one template share almost all of them, so a spec is
 * decoded once, and what is its pod's own (the node, the host name, names of volumes with
 * configuration) is read beside it.  Specs are equal by comparison of bytes, never by a hash alone.
 */
#pragma once

#include "api/object.h"

struct sibling_specs;

struct sibling_specs *sibling_specs_new(void);
void sibling_specs_free(struct sibling_specs *specs); /* accepts NULL */
void sibling_specs_clear(struct sibling_specs *specs);
/* The spec of a message in protobuf.  Its arrays belong to a sibling, until the next call; its
 * sibling is the same number for equal specs; volumes with configuration may have a sibling's
 * names. False: the message is to be read as a value, which says what is wrong. */
bool sibling_specs_read(struct sibling_specs *specs, struct slice message,
                        struct pod_spec *ret_spec);
