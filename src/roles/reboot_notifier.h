/* Sends notifications without holding up the agent; a notification that fails is logged. */
#pragma once

#include "base/slice.h"
#include "port/loop.h"

#define NOTIFY_IN_FLIGHT_MAX 16 /* more are dropped, with a log line */
#define NOTIFY_TIMEOUT_NS (10 * NS_PER_S)

struct reboot_notifier;

/* url is borrowed; NULL or "" = nothing is ever sent. */
struct reboot_notifier *reboot_notifier_new(struct loop *loop, const char *url);
void reboot_notifier_free(struct reboot_notifier *notifier); /* accepts NULL */
void reboot_notifier_send(struct reboot_notifier *notifier, struct slice message);
