/* Objects of a trial on their way into the model. */
#include "sim/reboot_trial_priv.h"

#include <stdio.h>

void trial_failed(struct trial *trial, const char *text) {
        if (trial->failure[0] == '\0')
                snprintf(trial->failure, sizeof(trial->failure), "%s", text);
}

void trial_apply(struct trial *trial, enum object_kind kind, enum change_kind change) {
        struct json_doc *doc = NULL;
        struct err err = { 0 };

        for (size_t i = 0; i < trial->text.len; i++)
                if (trial->text.data[i] == '\'')
                        trial->text.data[i] = '"';
        if (json_parse(buf_view(&trial->text), &doc, &err) < 0 ||
            cluster_apply(trial->cluster, kind, change, json_doc_root(doc), &err) < 0)
                trial_failed(trial, err.text);
        json_doc_free(doc);
        buf_clear(&trial->text);
}
