/* Verdicts of plugins. */
#include "plugin/verdict.h"

const char *verdict_code_name(enum verdict_code code) {
        static const char *const names[] = {
                [VERDICT_OK] = "Success",
                [VERDICT_SKIP] = "Skip",
                [VERDICT_UNSCHEDULABLE] = "Unschedulable",
                [VERDICT_UNRESOLVABLE] = "UnschedulableAndUnresolvable",
                [VERDICT_WAIT] = "Wait",
                [VERDICT_PENDING] = "Pending",
                [VERDICT_ERROR] = "Error",
        };
        return names[code];
}

/* How much a code outranks the others when several are given. */
static int verdict_rank(enum verdict_code code) {
        switch (code) {
        case VERDICT_ERROR:
                return 3;
        case VERDICT_UNRESOLVABLE:
                return 2;
        case VERDICT_UNSCHEDULABLE:
        case VERDICT_WAIT:
        case VERDICT_PENDING:
                return 1;
        default:
                return 0;
        }
}

void verdict_no(struct verdict *verdict, enum verdict_code code, struct slice reason) {
        if (verdict_rank(code) > verdict_rank(verdict->code))
                verdict->code = code;
        if (verdict->reason_count < VERDICT_REASONS_MAX)
                verdict->reasons[verdict->reason_count++] = reason;
}
