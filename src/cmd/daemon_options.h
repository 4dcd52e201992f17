/* Tables of options that commands share. A command's own table takes one in as a group, at the
 * member that its options fill; where its defaults differ, the group says so. None of the options
 * of daemons comes from an environment meant for another program. */
#pragma once

#include "cmd/daemon.h"
#include "cmd/option_table.h"

extern const struct option cluster_option_table[]; /* of struct daemon_options */
/* Of struct daemon_options. The group names the Lease and its times. */
extern const struct option election_option_table[];
extern const struct option serving_option_table[]; /* of struct daemon_options; serves no port */
/* Who may read the pages that are served; of struct page_guard_options. */
extern const struct option guard_option_table[];
/* How many evictions are under way at the same time; of struct slot_options. */
extern const struct option slot_option_table[];
/* Whether evictions are EvictionRequests; of struct daemon_options. */
extern const struct option request_option_table[];
/* Of an int: enum evict_request_mode. */
extern const struct option request_mode_option_table[];
extern const struct option parity_option_table[]; /* of a bool */
/* Of an int64_t. The group gives the level. */
extern const struct option verbosity_option_table[];
