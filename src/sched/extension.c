/* A pod that extenders are being asked about: what is known so far. */
#include "sched/extension.h"
#include "base/util.h"
#include <stdlib.h>

#define EXTENSIONS_MAX 64 /* pods asked about at a time; others wait */

struct extension *extension_new(struct scheduler *scheduler, const struct queued_pod *entry,
                                size_t node_count) {
        struct extension *extension = xcalloc(1, sizeof(*extension));
        *extension =
                (struct extension){ .next = scheduler->extensions,
                                    .pod = entry->pod,
                                    .uid_hash = entry->uid_hash,
                                    .generation = cluster_generation(scheduler->config.cluster),
                                    .count = node_count,
                                    .nodes = xcalloc(node_count + 1, sizeof(*extension->nodes)) };
        scheduler->extensions = extension;
        scheduler->extension_count++;
        return extension;
}

void asked_candidate_free(struct asked_candidate *candidate) {
        for (size_t i = 0; i < candidate->victim_count; i++)
                free(candidate->victims[i]);
        free(candidate->victims);
        free(candidate->node);
}

void extension_drop_candidates(struct extension *extension) {
        for (size_t i = 0; i < extension->candidate_count; i++)
                asked_candidate_free(&extension->candidates[i]);
        free(extension->candidates);
        extension->candidates = NULL;
        extension->candidate_count = 0;
}

void extension_free(struct scheduler *scheduler, struct extension *extension) {
        struct extension **link = &scheduler->extensions;
        while (*link != extension)
                link = &(*link)->next;
        *link = extension->next;
        scheduler->extension_count--;
        for (size_t i = 0; i < extension->count; i++) {
                free(extension->nodes[i].name);
                free(extension->nodes[i].reason);
        }
        free(extension->nodes);
        extension_drop_candidates(extension);
        free(extension->trouble);
        free(extension);
}

void scheduler_extensions_free(struct scheduler *scheduler) {
        while (scheduler->extensions)
                extension_free(scheduler, scheduler->extensions);
}

bool scheduler_extensions_are_full(const struct scheduler *scheduler) {
        return scheduler->extension_count >= EXTENSIONS_MAX;
}
