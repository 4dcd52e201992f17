/* Certificates and requests for them in what clients send: any text has an answer, and what is no
 * request has no organization. */
#include "kinds/certificate_forms.h"

#include <assert.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct slice text = slice_make((const char *)data, size);
        struct arena arena;

        arena_init(&arena, 0);
        const char *problem = certificate_request_problem(text);
        bool is_of_masters = certificate_request_has_organization(text, "system:masters");
        const char *list_problem = certificate_list_problem(&arena, text);

        assert(problem ? *problem != '\0' : list_problem != NULL);
        assert(!is_of_masters || list_problem);
        arena_release(&arena);
        return 0;
}
