/* The feature gates that programs of Kubernetes 1.36 know, with or without effect in berth. */
#pragma once

#include "base/slice.h"

enum gate_lock { GATE_FREE, GATE_LOCKED_OFF, GATE_LOCKED_ON }; /* LockToDefault */
struct kubernetes_gate {
        const char *name;
        enum gate_lock lock;
};
const struct kubernetes_gate *kubernetes_gate_find(struct slice name); /* NULL = unknown */
/* In order of name; NULL at the end. */
const struct kubernetes_gate *kubernetes_gate_at(size_t index);
