/* A folder in which something else lies where the sandbox keeps its authority and its token: it is
 * used when it is one, and refused when it is not. */
#include "http/tls_material.h"

#include <assert.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char folder[] = "/tmp/berth-fuzz-XXXXXX";

static void put(const char *name, const uint8_t *data, size_t size) {
        char path[64];
        FILE *file;
        size_t written;

        snprintf(path, sizeof(path), "%s/%s", folder, name);
        file = fopen(path, "we");
        assert(file);
        written = fwrite(data, 1, size, file);
        assert(written == size);
        fchmod(fileno(file), 0600);
        fclose(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        static bool has_folder;
        struct tls_material first = { 0 }, second = { 0 };
        char token[TOKEN_TEXT_SIZE], again[TOKEN_TEXT_SIZE];
        int code;

        if (!has_folder)
                has_folder = mkdtemp(folder);
        assert(has_folder);
        put(TLS_AUTHORITY_FILE, data, size);
        put(TLS_TOKEN_FILE, data, size);
        code = tls_material_keep(folder, "host.example", &first, NULL);
        if (code == 0) {
                code = tls_material_keep(folder, "host.example", &second, NULL);
                assert(code == 0 && strcmp(first.ca_pem, second.ca_pem) == 0);
        }
        code = token_keep(folder, token, NULL);
        if (code == 0) {
                assert(strlen(token) == TOKEN_TEXT_SIZE - 1);
                code = token_keep(folder, again, NULL);
                assert(code == 0 && strcmp(token, again) == 0);
        }
        tls_material_release(&first);
        tls_material_release(&second);
        return 0;
}
