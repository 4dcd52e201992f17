/* What a reflector tells its consumer: turns objects of lists and watch records into differences.
 */
#pragma once

#include "client/reflector.h"

/* Part of its reflector. The set of known objects is borrowed. */
struct object_reports {
        struct known_objects *known; /* what the consumer has */
        void (*changed)(void *context, enum reflector_change change, struct arrival *arrival);
        void *context;
        bool has_all;   /* objects that the consumer has unchanged are reported as SAME */
        uint64_t count; /* of reports so far */
};

/* An object as it is now. One without a name, or with too long a one, is passed over. */
void object_reports_take(struct object_reports *reports, struct arrival *arrival);
/* An object as it was last. */
void object_reports_take_deletion(struct object_reports *reports, struct arrival *arrival);
/* At the end of a list: what it did not bring is gone (known_objects_begin was its beginning). */
void object_reports_sweep(struct object_reports *reports);
