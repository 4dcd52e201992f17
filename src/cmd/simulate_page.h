/* Runs with faults as a report: whether a rule was broken, and what the runs went through. */
#pragma once

#include "base/buf.h"

struct report_facts;

#define SIMULATE_VIOLATIONS_MAX 50 /* that are written out */

struct simulate_row {
        const char *name;
        uint64_t count;
};
struct simulate_outcome {
        int64_t runs, violations, virtual_ns;
        struct buf texts; /* of the first violations, a line each */
        const struct simulate_row *counts, *faults, *troubles; /* of calls; of nodes and agents */
        size_t count_count, fault_count, trouble_count;
};
void simulate_outcome_violated(struct simulate_outcome *outcome, const char *text);
void simulate_page_write(const struct simulate_outcome *outcome, const struct report_facts *facts,
                         struct buf *out);
