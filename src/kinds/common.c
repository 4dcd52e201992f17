/* Table columns that kinds of several groups share. */
#include "kinds/kinds.h"

const struct table_column name_age_columns[NAME_AGE_COLUMN_COUNT] = {
        { "Name", "string", "name", 0 },
        { "Age", "string", "", 0 },
};
const struct table_column created_columns[CREATED_COLUMN_COUNT] = {
        { "Name", "string", "name", 0 },
        { "Created At", "date", "", 0 },
};
const struct table_column event_columns[EVENT_COLUMN_COUNT] = {
        { "Last Seen", "string", "", 0 }, { "Type", "string", "", 0 },
        { "Reason", "string", "", 0 },    { "Object", "string", "", 0 },
        { "Subobject", "string", "", 1 }, { "Source", "string", "", 1 },
        { "Message", "string", "", 0 },   { "First Seen", "string", "", 1 },
        { "Count", "string", "", 1 },     { "Name", "string", "name", 1 },
};
