/* berth version: the program, what it stands in for, and the libraries that it runs with. */
#include "cmd/cmd.h"
#include "cmd/command.h"
#include "cmd/output.h"
#include "cmd/stand_in.h"

#include "api/json.h"
#include "base/regex.h"
#include "base/util.h"
#include "client/http_transport.h"
#include "config/document.h"
#include "http/gzip.h"
#include "http/http_daemon.h"
#include "http/tls_material.h"
#include "http/tls_session.h"
#include "store/sqlite_backend.h"
#include <string.h>
#include <sys/utsname.h>

#ifdef __clang__
#define COMPILER __VERSION__
#else
#define COMPILER "GCC " __VERSION__
#endif

/* By the names of their projects; the version is that of the library which is loaded. */
static const struct {
        const char *name;
        void (*version)(struct buf *out);
} libraries[] = {
        { "curl", http_transport_library_version },
        { "gnutls", tls_session_library_version },
        { "libfyaml", document_library_version },
        { "libmicrohttpd", http_daemon_library_version },
        { "openssl", tls_material_library_version },
        { "pcre2", regex_library_version },
        { "sqlite", sqlite_backend_library_version },
        { "yyjson", json_library_version },
        { "zlib", gzip_library_version },
};

/* Go's names of processors, as Kubernetes has them. */
static const char *version_architecture(const char *machine) {
        if (strcmp(machine, "x86_64") == 0)
                return "amd64";
        return strcmp(machine, "aarch64") == 0 ? "arm64" : machine;
}

static void put_client(struct json_tree *tree, struct json_node *root) {
        struct json_node *client = node_object(tree);
        CLEANUP(buf_release) struct buf platform = { 0 };
        struct slice version = SLICE_LITERAL(BERTH_VERSION), major, minor;
        struct utsname machine;

        slice_split(&version, '.', &major);
        slice_split(&version, '.', &minor);
        node_put_text(tree, client, "major", major);
        node_put_text(tree, client, "minor", minor);
        node_put_string(tree, client, "gitVersion", "v" BERTH_VERSION);
        node_put_string(tree, client, "compiler", COMPILER);
        if (uname(&machine) == 0)
                buf_printf(&platform, "linux/%s", version_architecture(machine.machine));
        node_put_text(tree, client, "platform", buf_view(&platform));
        node_put(tree, root, "clientVersion", client);
}

static void put_libraries(struct json_tree *tree, struct json_node *root) {
        struct json_node *versions = node_object(tree);

        for (size_t i = 0; i < ARRAY_LEN(libraries); i++) {
                CLEANUP(buf_release) struct buf version = { 0 };

                libraries[i].version(&version);
                node_put_text(tree, versions, libraries[i].name, buf_view(&version));
        }
        node_put(tree, root, "libraryVersions", versions);
}

/* The releases whose behaviour, options and messages it has. */
static void put_upstream(struct json_tree *tree, struct json_node *root) {
        struct json_node *versions = node_object(tree);

        node_put_string(tree, versions, "kubernetes", KUBERNETES_VERSION);
        node_put_string(tree, versions, "descheduler", DESCHEDULER_VERSION);
        node_put(tree, root, "upstreamVersions", versions);
}

static int cmd_version_run(const struct command_call *call) {
        const int *format = call->options;
        struct buf text = { 0 };

        if (*format == OUTPUT_TEXT) {
                buf_text(&text, "berth " BERTH_VERSION "\n");
                return command_print("version", &text);
        }
        struct json_tree *tree = json_tree_new();
        struct json_node *root = node_object(tree);
        put_client(tree, root);
        put_upstream(tree, root);
        put_libraries(tree, root);
        output_value(root, (enum output_format) * format, &text);
        json_tree_free(tree);
        return command_print("version", &text);
}

const struct command command_version = {
        .name = "version",
        .summary = "print the version",
        .synopsis = "",
        .description =
                "With -o json or yaml also the releases of Kubernetes and the Descheduler whose "
                "behaviour it has, and the libraries that it runs with.",
        .options = output_option_table,
        .options_size = sizeof(int),
        .run = cmd_version_run,
};
