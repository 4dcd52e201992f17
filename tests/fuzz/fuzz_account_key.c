/* Keys and tokens of service accounts: a key of any text, and a token of any text opened with a key
 * that did not sign it. */
#include "server/account_key.h"

#include "base/util.h"
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        static struct account_key *own;
        struct slice text = slice_make((const char *)data, size);
        char *pem = slice_dup(text);
        struct account_key *key = account_key_new(pem);
        struct buf out = { 0 };

        if (!own)
                own = account_key_new(NULL);
        assert(!account_key_open(own, text, &out));
        if (key && account_key_sign(key, SLICE_LITERAL("{}"), &out)) {
                struct buf claims = { 0 };

                account_key_open(key, buf_view(&out), &claims);
                buf_release(&claims);
        }
        account_key_free(key);
        buf_release(&out);
        free(pem);
        return 0;
}
