/* Which checks of the Pod Security Standards a level asks for, and what a pod violates. */
#include "kinds/pod_security_priv.h"

static void run_check(const struct security_check *check, const struct security_pod *pod,
                      bool details, bool is_first, struct buf *out) {
        CLEANUP(buf_release) struct buf detail = { 0 };
        const char *reason = check->check(pod, &detail);

        if (!reason)
                return;
        buf_printf(out, "%s%s", is_first ? "" : ", ", reason);
        if (details && detail.len)
                buf_printf(out, " (%s)", detail.data);
}

bool security_violations(const struct security_pod *pod, enum security_level level, bool details,
                         struct buf *out) {
        static const struct security_checks *const levels[] = { &security_baseline,
                                                                &security_restricted };
        size_t start = out->len;

        for (enum security_level at = SECURITY_BASELINE; at <= level; at++) {
                const struct security_checks *checks = levels[at - SECURITY_BASELINE];

                for (size_t i = 0; i < checks->count; i++) {
                        const struct security_check *check = &checks->rows[i];
                        bool is_replaced = level == SECURITY_RESTRICTED && check->replaced &&
                                           pod->minor >= check->replaced;

                        if (pod->minor >= check->since && !is_replaced)
                                run_check(check, pod, details, out->len == start, out);
                }
        }
        return out->len > start;
}
