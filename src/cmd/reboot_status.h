/* The table behind "berth reboot status". */
#pragma once

struct reboot_options;

/* Reads all nodes and the lock; returns an exit code. */
int reboot_status_print(const struct reboot_options *options);
