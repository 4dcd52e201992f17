/* What the command lines of programs berth stands in for have in common. */
#include "cmd/stand_in.h"

#include "base/log.h"

#define EVERYTHING_FROM 4

const char *const tls_versions[] = { "VersionTLS12", "VersionTLS10", "VersionTLS11", "VersionTLS13",
                                     NULL };
const char *const stand_in_locks[] = { "leases", NULL };

int64_t stand_in_verbosity(int64_t level) {
        return level >= EVERYTHING_FROM ? LOG_DEBUG : LOG_INFO;
}
