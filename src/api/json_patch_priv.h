/* What the operations of a JSON Patch and the paths in them share. */
#pragma once

#include "api/json_patch.h"
#include "base/map.h"

struct patch {
        struct json_tree *tree;
        size_t copied; /* bytes so far */
        bool has_moved;
        bool is_again;          /* it was applied before: tests hold */
        struct map_u64 *opened; /* containers that were looked into, by address; NULL: no matter */
        struct map_u64 *nulls;  /* that operations gave, by address; NULL: none */
        struct err *err;
};

/* Where a path leads: a member or element of a container, there or not. */
struct patch_place {
        struct json_node *container;
        char *key; /* last path segment, unescaped; malloc'ed */
        struct slice key_text;
        size_t depth; /* containers above the value */
};

void patch_place_release(struct patch_place *place);

/* Upstream's patches leave values as the text they were, and make maps of those they look into:
 * their members are sorted from then on. */
bool patch_is_container(const struct json_node *node);
void patch_open(struct patch *p, struct json_node *container);
/* With all that is inside. */
void patch_open_whole(struct patch *p, struct json_node *value);
/* A value that is copied is written as it is by then. */
void patch_sort_within(const struct patch *p, struct json_node *value);
/* All that was opened, at the end. */
void patch_sort_opened(const struct patch *p);

/* Index of an existing element; negative ones count from the end. */
bool patch_element_index(struct slice key, size_t count, size_t *ret_index);
/* NULL also for an element that does not exist; ret_exists is false for a missing one and true for
 * null. */
struct json_node *patch_child(const struct json_node *container, struct slice key,
                              bool *ret_exists);
/* The text in a member of the operation; refused when there is none. */
int patch_read_path(struct patch *p, const struct json_node *op, const char *member,
                    struct slice *ret_path);
/* Finds the container to which the last segment of a path belongs; `op` and `member` are for the
 * error. Release the place after success. */
int patch_locate(struct patch *p, const char *op, const char *member, struct slice path,
                 struct patch_place *ret_place);
/* Both of the above. */
int patch_locate_member(struct patch *p, const char *kind, const struct json_node *op,
                        const char *member, struct patch_place *ret_place);
/* Puts what went wrong inside of an operation behind its name and path; returns r. */
int patch_in_operation(struct patch *p, int r, const char *where, struct slice path);
