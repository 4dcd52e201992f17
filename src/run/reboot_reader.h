/* The readings an agent asks for, one at a time: files, programs, API calls, alerts. */
#pragma once

#include "run/reboot_role.h"

struct reboot_reader;

/* answered runs after each reading, when the agent was told. */
int reboot_reader_new(struct runtime *runtime, const struct reboot_role_config *config,
                      struct reboot_agent *agent, void (*answered)(void *context), void *context,
                      struct reboot_reader **ret_reader, struct err *err);
void reboot_reader_free(struct reboot_reader *reader); /* accepts NULL */
void reboot_reader_start(struct reboot_reader *reader, const struct reboot_turn *turn);
