/* What credential plugins print: either a token, or a certificate with its key, or an error. */
#include "client/exec_plugin.h"

#include <assert.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        char name[] = "plugin", version[] = "client.authentication.k8s.io/v1";
        struct exec_plugin plugin = { .command = name, .api_version = version };
        struct exec_answer answer = { 0 };
        struct err err = { 0 };

        if (exec_answer_decode(&plugin, slice_make((const char *)data, size), &answer, &err) < 0) {
                assert(err.code < 0 && err.text[0]);
                return 0;
        }
        assert(answer.token || answer.certificate_pem);
        assert(!answer.certificate_pem == !answer.key_pem);
        exec_answer_release(&answer);
        return 0;
}
