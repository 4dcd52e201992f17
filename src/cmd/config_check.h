/* Checks configuration files and manifests as the roles would read them, without a cluster: what
 * they would refuse is found here, all of it. */
#pragma once

#include "cmd/config_report.h"

void config_check_init(struct config_check *check, const struct program *tables, bool is_parity);
void config_check_release(struct config_check *check);
/* A file, a folder (its *.yaml, *.yml and *.json, in order of name), or "-": standard input. */
void config_check_path(struct config_check *check, const char *path);
/* name stands for the file in what is found. */
void config_check_text(struct config_check *check, struct slice text, const char *name);
