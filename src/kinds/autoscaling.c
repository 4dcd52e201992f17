/* Resources of group autoscaling: v2 is what is stored, v1 a narrower view of it. */
#include "kinds/check.h"
#include "kinds/defaults.h"
#include "kinds/kinds.h"
#include "kinds/prepare.h"
#include "kinds/row.h"
#include "kinds/views.h"

static const struct table_column horizontal_pod_autoscaler_columns[] = {
        { "Name", "string", "name", 0 }, { "Reference", "string", "", 0 },
        { "Targets", "string", "", 0 },  { "MinPods", "string", "", 0 },
        { "MaxPods", "string", "", 0 },  { "Replicas", "string", "", 0 },
        { "Age", "string", "", 0 },
};

static const struct table_column scale_columns[] = {
        { "Name", "string", "", 0 },
        { "Desired", "integer", "", 0 },
        { "Available", "integer", "", 0 },
        { "Age", "string", "", 0 },
};

const struct kind_info kind_scale = {
        .group = "autoscaling",
        .version = "v1",
        .plural = "scales",
        .singular = "scale",
        .kind = "Scale",
        .flags = KIND_NAMESPACED,
        COLUMNS(scale_columns),
        .table_row = scale_row,
};

static const struct kind_info rows[] = {
        {
                .group = "autoscaling",
                .version = "v2",
                .plural = "horizontalpodautoscalers",
                .singular = "horizontalpodautoscaler",
                .kind = "HorizontalPodAutoscaler",
                .short_names = NAMES("hpa"),
                .categories = NAMES("all"),
                .verbs = VERB_STANDARD,
                .flags = KIND_NAMESPACED | KIND_UNCONDITIONAL | KIND_STATUS | KIND_STATUS_METADATA,
                .prepare = status_prepare,
                .apply_defaults = horizontal_pod_autoscaler_defaults,
                .validate = horizontal_pod_autoscaler_validate,
                COLUMNS(horizontal_pod_autoscaler_columns),
                .table_row = horizontal_pod_autoscaler_row,
        },
        {
                .group = "autoscaling",
                .version = "v1",
                .plural = "horizontalpodautoscalers",
                .singular = "horizontalpodautoscaler",
                .kind = "HorizontalPodAutoscaler",
                .short_names = NAMES("hpa"),
                .categories = NAMES("all"),
                .verbs = VERB_STANDARD,
                .flags = KIND_NAMESPACED | KIND_UNCONDITIONAL | KIND_STATUS | KIND_STATUS_METADATA,
                .prepare = autoscaler_v1_prepare,
                .apply_defaults = autoscaler_v1_defaults,
                .validate = autoscaler_v1_validate,
                .stored_as = &rows[0],
                .to_stored = autoscaler_to_v2,
                .from_stored = autoscaler_from_v2,
                COLUMNS(horizontal_pod_autoscaler_columns),
                .table_row = horizontal_pod_autoscaler_row,
        },
};

const struct kind_group kind_group_autoscaling = { rows, ARRAY_LEN(rows) };
