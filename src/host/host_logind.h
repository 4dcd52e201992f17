/* A reboot ordered from systemd-logind over the system bus: needs neither the host's processes nor
 * a program of its own. */
#pragma once

#include "base/err.h"
#include <stdint.h>

#define LOGIND_BUS_SOCKET "/run/dbus/system_bus_socket"
#define LOGIND_TIMEOUT_NS (10 * NS_PER_S)

/* Waits for the answer, at most LOGIND_TIMEOUT_NS for each part of it.  BERTH_ERR_IO when there is
 * no bus, BERTH_ERR_FORBIDDEN with the name of the error when it refuses. */
int host_logind_reboot(const char *bus_socket, struct err *err);
