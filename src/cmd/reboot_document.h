/* Reboots for the live page: who waits for what, who holds the lock. */
#pragma once

#include "base/buf.h"
#include "base/time.h"

struct dashboard_cache;

/* Annotation with the lock, as kured and berth reboot have it unless options say otherwise. */
#define REBOOT_LOCK_ANNOTATION "weave.works/kured-node-lock"

/* The members "lock" and "nodes". */
void reboot_document_write(const struct dashboard_cache *cache, struct wall_time now,
                           struct buf *out);
