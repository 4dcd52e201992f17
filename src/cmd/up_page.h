/* The report of berth up as a page. */
#pragma once

#include "base/buf.h"

struct report_facts;
struct top_data;
struct up_report;

/* data: the cluster at the end, the fullest nodes first. */
void up_page_write(const struct up_report *report, const struct top_data *data,
                   const struct report_facts *facts, struct buf *out);
