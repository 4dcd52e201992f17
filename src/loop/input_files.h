/* Kubernetes objects from paths as people give them: files, folders, standard input. */
#pragma once

#include "config/objects_input.h"

#define INPUT_FILES_MAX 10000 /* of one folder */

/* The *.yaml, *.yml and *.json files of a folder in order of name, as scandir gives them; -1 with
 * errno. */
struct dirent;
int input_files_list(const char *path, struct dirent ***ret_entries);
/* Calls each for every object of a file of YAML or JSON documents ("-" is standard input), or of
 * the *.yaml, *.yml and *.json files of a folder, in order of name.  Lists are taken apart; see
 * config/objects_input.h for what each gets. */
int input_files_read(const char *path,
                     int (*each)(void *context, const struct input_object *object, struct err *err),
                     void *context, struct err *err);
