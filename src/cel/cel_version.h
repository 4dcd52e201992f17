/* Semantic versions as values, how they compare; what is wrong with the text of URLs. */
#pragma once

#include "cel/cel_value.h"

/* A semantic version taken apart. */
struct cel_version {
        uint64_t numbers[3];
        struct slice release; /* labels between dots; empty = none */
};
/* Of a text that is one; what is wrong with others says go_semver_problem. */
void cel_version_read(struct slice text, struct cel_version *ret_version);
/* Which of two versions comes first; neither when they differ in build data alone. */
int cel_version_order(struct slice a, struct slice b);
/* Cuts what follows the first such mark off; false when there is none. */
bool cel_version_cut(struct slice *text, char mark, struct slice *ret_behind);
/* What is wrong with a URL; NULL when it is absolute, or an absolute path. */
const char *cel_url_problem(struct cel_run *run, struct slice text);
