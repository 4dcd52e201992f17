/* What one request costs by the number of things it holds: a row for each kind of list and path of
 * the API server, with the exponent between half and all of it (1 = linear, 2 = square), and the
 * longest part of it in which a server lets nobody in.
 * bench_requests [COUNT [NAME [PATH]]] measures COUNT / 2 and COUNT elements, of the lists and on
 * the paths whose names contain NAME and PATH. */
#include "../unit/server/request_cost.h"

#include "base/util.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RUNS 3

static struct cost best(const struct cost_shape *shape, enum cost_path path, size_t count) {
        struct cost least = cost_measure(shape, path, count);

        for (int i = 1; i < RUNS && least.ns < 100000000; i++) {
                struct cost cost = cost_measure(shape, path, count);

                if (cost.ns < least.ns)
                        least = cost;
        }
        return least;
}

static void measure(const struct cost_shape *shape, enum cost_path path, size_t count) {
        struct cost half = best(shape, path, count / 2), all = best(shape, path, count);

        printf("%-32s %-16s %8zu %9zu B %4d %9.1f ms %6.2f %7.1f ms\n", shape->name,
               cost_path_names[path], count, all.bytes, all.status, (double)all.ns / 1e6,
               log2((double)all.ns / (double)half.ns), (double)all.held_ns / 1e6);
        fflush(stdout);
}

int main(int argc, char **argv) {
        size_t count = argc > 1 ? strtoul(argv[1], NULL, 10) : 8000;
        const char *name = argc > 2 ? argv[2] : "", *wanted = argc > 3 ? argv[3] : "";

        printf("%-32s %-16s %8s %11s %4s %12s %6s %s\n", "list", "path", "elements", "body", "code",
               "processor", "exponent", "standstill");
        for (size_t i = 0; i < cost_shape_count; i++) {
                for (int path = 0; path < COST_PATHS; path++) {
                        if (strstr(cost_shapes[i].name, name) &&
                            strstr(cost_path_names[path], wanted))
                                measure(&cost_shapes[i], (enum cost_path)path, count);
                }
        }
        return 0;
}
