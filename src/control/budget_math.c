/* Budget arithmetic: percentages round up, nothing falls below zero. */
#include "control/budget_math.h"

#include "control/pod_owner.h"

static bool is_percentage(const struct json *value) {
        return json_type(value) == JSON_STRING;
}

bool budget_needs_scale(const struct budget_input *input) {
        return input->max_unavailable || is_percentage(input->min_available);
}

struct budget_output budget_compute(const struct budget_input *input) {
        struct budget_output output = { 0 };

        if (input->max_unavailable) {
                output.expected = input->scale;
                output.desired = input->scale -
                                 int_or_percent(input->max_unavailable, input->scale, true, 0);
                if (output.desired < 0)
                        output.desired = 0;
        } else if (is_percentage(input->min_available)) {
                output.expected = input->scale;
                output.desired = int_or_percent(input->min_available, input->scale, true, 0);
        } else {
                output.expected = input->pods;
                output.desired = int_or_percent(input->min_available, input->pods, true, 0);
        }
        output.allowed = input->healthy - output.desired;
        if (output.expected <= 0 || output.allowed <= 0)
                output.allowed = 0;
        return output;
}
