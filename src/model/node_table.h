/* Node columns: contiguous arrays indexed by node_id.index.  A hot table read in loops, hence not
 * opaque; only the model room writes it.  Rows of removed nodes are reused; `live` says which
 * exist. */
#pragma once

#include "base/bitset.h"
#include "model/ids.h"
#include "model/pod_table.h"
#include <stddef.h>
#include <stdint.h>

enum node_flags {
        NODE_UNSCHEDULABLE = 1, /* spec.unschedulable */
        NODE_READY = 2,         /* condition Ready is True, or there is no such condition */
        NODE_KNOWN = 4,         /* the Node object was seen; without it only pods name the node */
};

struct resource_column {
        int64_t *allocatable; /* per node; 0 where the node does not report it */
        int64_t *requested;   /* sum over the pods on the node, assumed ones included */
};

struct port_row {               /* one used host port */
        struct class_port port; /* "0.0.0.0" and "TCP" when unset */
        uint32_t count;         /* pods that hold it */
};

struct node_table {
        size_t count;                /* rows in use or free: indexes run below it; grows in steps */
        struct bitset live;          /* rows with NODE_KNOWN */
        struct bitset unschedulable; /* subset of live */
        struct bitset ready;         /* subset of live */
        size_t resource_count;       /* columns in use */
        struct resource_column *resources;
        int64_t *nonzero_cpu_milli;    /* requests with 100m per container without one */
        int64_t *nonzero_memory_bytes; /* same with 200 MiB */
        struct str_id *name;
        struct str_id *zone; /* "region:\0:zone" key for the node order; empty without labels */
        struct label_set_id *labels;
        struct taint_set_id *taints;
        uint8_t *flags;           /* enum node_flags */
        struct pod_id *first_pod; /* list of pods on the node through pod_row.next_on_node */
        uint32_t *pod_count;
        uint32_t *attach_count;    /* sum of what the pods may have to attach */
        uint32_t *pods_with_terms; /* of them, those whose class has_pod_terms */
        uint64_t *generation;      /* of the last change of the row or its pods */
        uint16_t *image_count, *port_count;
        struct str_id **images;  /* names, sorted by id */
        struct port_row **ports; /* sorted */
        struct str_id *boot_id;
};
