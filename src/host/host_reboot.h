/* What ties an agent to its machine: which boot this is, whether a reboot is asked for, and the
 * order to reboot by signal. */
#pragma once

#include "base/err.h"
#include <stdbool.h>
#include <stddef.h>

#define BOOT_ID_FILE "/proc/sys/kernel/random/boot_id"
#define BOOT_ID_MAX 64

/* The file's first line, cut to BOOT_ID_MAX - 1 bytes. */
int host_boot_id(const char *path, char ret_id[BOOT_ID_MAX], struct err *err);
/* Anything of the name counts, a directory too; what cannot be looked at does not. */
bool host_file_exists(const char *path);
/* Whether nsenter could enter the mount namespace of the host. */
#define HOST_NAMESPACE_FILE "/proc/1/ns/mnt"
#define HOST_NSENTER "/usr/bin/nsenter"
int host_can_enter(const char *nsenter, const char *path, struct err *err);
/* Asks PID 1 to reboot (39 = SIGRTMIN+5 of glibc: systemd's reboot.target), or another process in
 * tests. */
int host_signal(int pid, int number, struct err *err);
