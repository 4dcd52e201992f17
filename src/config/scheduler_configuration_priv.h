/* Defaults of durations that count again when the file says zero. As JSON text. */
#pragma once

#define LEASE_DURATION_DEFAULT "\"15s\""
#define RENEW_DEADLINE_DEFAULT "\"10s\""
#define RETRY_PERIOD_DEFAULT "\"2s\""
