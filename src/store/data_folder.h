/* The folder that a store is kept in: one process at a time, and nobody else's business. */
#pragma once

#include "base/err.h"

/* Locks the folder until the descriptor is closed. It and the files of the database must be
 * readable by their owner only: they hold Secrets. */
int data_folder_open(const char *directory, int *ret_fd, struct err *err);
/* Makes an empty file of mode 0600 unless there is one. */
int data_folder_make_file(const char *path, struct err *err);
