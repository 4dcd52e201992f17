/* What one request costs by the number of things it holds: a row for each kind of list and path of
 * the API server, with the exponent between half and all of it (1 = linear, 2 = square), and the
 * longest part of it in which a server lets nobody in.
 * bench_requests [COUNT [NAME [PATH]]] measures COUNT / 2 and COUNT elements, of the lists and on
 * the paths whose names contain NAME and PATH.
 * For scripts that send the same requests to a server: bench_requests --pairs prints all lists with
 * all paths; bench_requests --send BYTES LIST PATH prints the requests of one pair, each a line
 * "METHOD TARGET TYPE ACCEPT SIZE" (- = none) and SIZE bytes of body. The last one is the one to
 * measure, of at most BYTES; those before it make what it needs. */
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

/* ---- for scripts ---- */

static void print_pairs(void) {
        for (size_t i = 0; i < cost_shape_count; i++) {
                for (int path = 0; path < COST_PATHS; path++)
                        printf("%s %s\n", cost_shapes[i].name, cost_path_names[path]);
        }
}

static void print_message(void *context, const struct cost_message *message) {
        (void)context;
        printf("%s %s %s %s %zu\n", message->method, message->target,
               message->type ? message->type : "-", message->accept ? message->accept : "-",
               message->body.len);
        fwrite(message->body.ptr, 1, message->body.len, stdout);
}

static void note_bytes(void *context, const struct cost_message *message) {
        size_t *bytes = context;

        if (message->body.len > *bytes)
                *bytes = message->body.len;
}

static size_t largest_body(const struct cost_shape *shape, enum cost_path path, size_t count) {
        size_t bytes = 0;

        cost_messages(shape, path, count, note_bytes, &bytes);
        return bytes;
}

/* As many elements as fit: numbers get longer the more there are. */
static void print_requests(const struct cost_shape *shape, enum cost_path path, size_t bytes) {
        size_t count = 1000, each = largest_body(shape, path, count) / count + 1;

        count = bytes / each;
        while (count > 1 && largest_body(shape, path, count) > bytes)
                count -= count / 20 + 1;
        cost_messages(shape, path, count, print_message, NULL);
}

static int print_of(const char *bytes, const char *name, const char *wanted) {
        for (size_t i = 0; i < cost_shape_count; i++) {
                for (int path = 0; path < COST_PATHS; path++) {
                        if (strcmp(cost_shapes[i].name, name) ||
                            strcmp(cost_path_names[path], wanted))
                                continue;
                        print_requests(&cost_shapes[i], (enum cost_path)path,
                                       strtoul(bytes, NULL, 10));
                        return 0;
                }
        }
        fprintf(stderr, "bench_requests: no list %s with path %s\n", name, wanted);
        return 1;
}

int main(int argc, char **argv) {
        if (argc == 2 && !strcmp(argv[1], "--pairs")) {
                print_pairs();
                return 0;
        }
        if (argc == 5 && !strcmp(argv[1], "--send"))
                return print_of(argv[2], argv[3], argv[4]);
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
