/* The readings an agent asks for, one at a time: files, programs, API calls, alerts. */
#pragma once

#include "roles/reboot_role.h"

struct reboot_reader;

struct reboot_listener {
        struct reboot_agent *agent;      /* gets what was read */
        void (*answered)(void *context); /* afterwards */
        void *context;
};
int reboot_reader_new(struct runtime *runtime, const struct reboot_role_config *config,
                      const struct reboot_listener *listener, struct reboot_reader **ret_reader,
                      struct err *err);
void reboot_reader_free(struct reboot_reader *reader); /* accepts NULL */
void reboot_reader_start(struct reboot_reader *reader, const struct reboot_next *next);
