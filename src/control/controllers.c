/* All controllers, and the choice among them. */
#include "base/buf.h"
#include "control/control_priv.h"

/* The kubelet comes first, so that one round's transitions are seen by all others together. */
/* clang-format off */
const struct controller *const controllers[] = {
        &controller_kubelet,
        &controller_node_lifecycle,
        &controller_taint_eviction,
        &controller_device_taint_eviction,
        &controller_service_account,
        &controller_root_certificate,
        &controller_role_aggregation,
        &controller_cron_job,
        &controller_job,
        &controller_deployment,
        &controller_stateful_set,
        &controller_daemon_set,
        &controller_replica_set,
        &controller_replication,
        &controller_volume_binder,
        &controller_claim_protection,
        &controller_volume_protection,
        &controller_pod_group_protection,
        &controller_device_driver,
        &controller_resource_claim,
        &controller_disruption,
        &controller_resource_quota,
        &controller_ttl_after_finished,
        &controller_pod_collector,
        &controller_namespace,
        &controller_garbage_collector,
        NULL,
};
/* clang-format on */

const char *control_controller_name(size_t index) {
        for (size_t i = 0; i <= index; i++) {
                if (!controllers[i])
                        return NULL;
        }
        return controllers[index]->name;
}

static int fail_unknown(struct slice name, struct err *err) {
        struct buf known = { 0 };

        for (size_t i = 0; controllers[i]; i++)
                buf_printf(&known, "%s%s", i ? ", " : "", controllers[i]->name);
        int r = err_set(err, BERTH_ERR_INVALID,
                        "unknown controller \"" SLICE_FMT "\"; known are *, none, %s",
                        SLICE_ARG(name), known.data);
        buf_release(&known);
        return r;
}

static bool is_called(const struct controller *controller, struct slice name) {
        return slice_is(name, controller->name) ||
               (controller->alias && slice_is(name, controller->alias));
}

static int controllers_find(struct slice name, size_t *ret_index, struct err *err) {
        for (size_t i = 0; controllers[i]; i++) {
                if (is_called(controllers[i], name)) {
                        *ret_index = i;
                        return 0;
                }
        }
        return fail_unknown(name, err);
}

static int controllers_take(struct slice word, bool *is_named, bool *is_refused, bool *is_all,
                            struct err *err) {
        bool is_minus = word.len && word.ptr[0] == '-';
        size_t index = 0;

        if (slice_is(word, "*")) {
                *is_all = true;
                return 0;
        }
        int r = controllers_find(is_minus ? slice_make(word.ptr + 1, word.len - 1) : word, &index,
                                 err);
        if (r == 0)
                (is_minus ? is_refused : is_named)[index] = true;
        return r;
}

int controllers_select(const char *list, bool *ret_wanted, struct err *err) {
        bool is_named[CONTROLLERS_MAX] = { false }, is_refused[CONTROLLERS_MAX] = { false };
        struct slice rest = slice_of(list ? list : "*"), word;
        bool is_all = false;

        if (slice_is(slice_trim(rest), "none"))
                rest = SLICE_EMPTY;
        while (slice_split(&rest, ',', &word)) {
                int r = controllers_take(slice_trim(word), is_named, is_refused, &is_all, err);

                if (r < 0)
                        return r;
        }
        for (size_t i = 0; i < CONTROLLERS_MAX; i++)
                ret_wanted[i] = (is_named[i] || is_all) && !is_refused[i];
        return 0;
}

int control_check_controllers(const char *list, struct err *err) {
        bool is_wanted[CONTROLLERS_MAX];

        return controllers_select(list, is_wanted, err);
}
