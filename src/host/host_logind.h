/* A reboot ordered from systemd-logind over the system bus: needs neither the host's processes nor
 * a program of its own. */
#pragma once

#include "base/err.h"
#include "port/loop.h"

#define LOGIND_BUS_SOCKET "/run/dbus/system_bus_socket"
#define LOGIND_TIMEOUT_NS (10 * NS_PER_S)

/* Waits for the answer, at most LOGIND_TIMEOUT_NS.  BERTH_ERR_IO when there is no bus or none that
 * answers, BERTH_ERR_FORBIDDEN with the name of the error when it refuses. */
int host_logind_reboot(const char *bus_socket, struct err *err);

/* The same beside the loop. */
struct host_logind_order;
/* done runs once, from the loop; the order is gone by then. */
struct host_logind_order *host_logind_order_new(struct loop *loop, const char *bus_socket,
                                                void (*done)(void *context, int code,
                                                             const char *error),
                                                void *context);
/* Before done ran; what is asked for already cannot be taken back. Accepts NULL. */
void host_logind_order_free(struct host_logind_order *order);
