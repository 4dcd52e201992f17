/* Ends the waits of an agent when what it waits for changes, where it may be watched. */
#pragma once

#include "api/arrival.h"
#include "loop/runtime.h"
#include "reboot/reboot_agent.h"

struct reboot_wake;

struct reboot_wake_config {
        struct runtime *runtime;
        struct reboot_agent *agent;
        struct slice node;
        void (*woken)(void *context); /* the agent has something to do */
        void *context;
};
struct reboot_wake *reboot_wake_new(const struct reboot_wake_config *config);
void reboot_wake_free(struct reboot_wake *wake); /* accepts NULL */
/* The agent has begun to wait: follows what it waits for, nothing else. */
void reboot_wake_follow(struct reboot_wake *wake);
/* An object of the model has changed. */
void reboot_wake_arrived(struct reboot_wake *wake, enum object_kind kind, enum change_kind change,
                         struct arrival *arrival);
