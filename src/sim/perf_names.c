/* Templates and names of the objects that a workload makes. */
#include "base/util.h"
#include "sim/perf_run_priv.h"
#include <stdio.h>

int perf_run_template(struct perf_run *run, struct slice name, struct perf_template **ret_template,
                      struct err *err) {
        CLEANUP(buf_release) struct buf path = { 0 };
        perf_suite_resolve(run->suite, name, &path);
        for (size_t i = 0; i < run->template_count; i++)
                if (slice_is(buf_view(&path), perf_template_path(run->templates[i]))) {
                        *ret_template = run->templates[i];
                        return 0;
                }
        int code = perf_template_open(&run->env->files, path.data, ret_template, err);
        if (code < 0)
                return code;
        run->templates = xreallocarray(run->templates, run->template_count + 1,
                                       sizeof(struct perf_template *));
        run->templates[run->template_count++] = *ret_template;
        return 0;
}

void perf_run_name(struct perf_run *run, struct json_tree *tree, const char *ns) {
        struct json_node *meta = node_need_object(tree, json_tree_root(tree), "metadata");
        if (!meta)
                return;
        if (slice_is_empty(node_get_text(meta, "name"))) {
                struct slice prefix = node_get_text(meta, "generateName");
                char name[512];
                snprintf(name, sizeof(name), SLICE_FMT "%lld",
                         SLICE_ARG(slice_is_empty(prefix) ? SLICE_LITERAL("object-") : prefix),
                         (long long)++run->made_count);
                node_put_string(tree, meta, "name", name);
        }
        if (ns) {
                char uid[64];
                snprintf(uid, sizeof(uid), "u-%lld", (long long)++run->made_count);
                node_put_string(tree, meta, "namespace", ns);
                if (slice_is_empty(node_get_text(meta, "uid")))
                        node_put_string(tree, meta, "uid", uid);
        }
}
