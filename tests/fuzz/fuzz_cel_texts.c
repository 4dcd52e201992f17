/* Texts that functions of CEL read: URLs, addresses, networks, versions, named formats. What is
 * taken for one keeps what it is when it is written and read again. */
#include "api/json.h"
#include "base/arena.h"
#include "cel/cel.h"
#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char schema_text[] =
        "{\"type\":\"object\",\"properties\":{\"s\":{\"type\":\"string\"}}}";

/* All of them hold of any text. */
static const char *const rules[] = {
        "!isIP(self.s) || ip(string(ip(self.s))) == ip(self.s)",
        "!isIP(self.s) || ip.isCanonical(string(ip(self.s)))",
        "!isIP(self.s) || [ip(self.s).isGlobalUnicast(), ip(self.s).isLoopback(), "
        "ip(self.s).isUnspecified(), ip(self.s).isLinkLocalUnicast()].filter(x, x).size() <= 1",
        "!isCIDR(self.s) || cidr(self.s).containsIP(cidr(self.s).ip())",
        "!isCIDR(self.s) || cidr(self.s).containsCIDR(string(cidr(self.s).masked()))",
        "!isSemver(self.s) || semver(self.s).compareTo(semver(self.s, true)) == 0",
        "!isSemver(self.s, true) || !semver(self.s, true).isLessThan(semver(self.s, true))",
        "!isSemver(self.s) || semver('0.0.0-0').compareTo(semver(self.s)) <= 0",
        "!isURL(self.s) || !format.uri().validate(self.s).hasValue()",
        "['dns1123Label', 'dns1123SubdomainPrefix', 'dns1035LabelPrefix', 'qualifiedName', "
        "'labelValue', 'uuid', 'byte', 'date', 'datetime'].all(f, "
        "format.named(f).value().validate(self.s).orValue(['x']).size() > 0)",
};
/* May fail where the part behind # makes it no URL. */
static const char of_urls[] =
        "!isURL(self.s) || (url(self.s).getHost().startsWith(url(self.s).getHostname()) || "
        "url(self.s).getHost().startsWith('[')) && url(self.s).getHost().endsWith("
        "url(self.s).getPort()) && url(self.s).getQuery().all(k, url(self.s).getQuery()[k].size() "
        "> 0) && url(self.s).getScheme() != '-' && url(self.s).getEscapedPath() != ' '";

static struct arena arena;
static struct json_doc *schema;
static struct cel_program *programs[sizeof(rules) / sizeof(rules[0])], *url_program;

static struct cel_program *compile(const char *source, const struct cel_type *type) {
        struct cel_options options = { .self = type };
        struct cel_program *program = NULL;
        int code = cel_compile(&arena, slice_of(source), &options, &program, NULL);

        assert(code == 0);
        return program;
}

static void start(void) {
        const struct cel_type *type;

        arena_init(&arena, 0);
        json_parse(slice_of(schema_text), &schema, NULL);
        type = cel_type_of_schema(&arena, json_doc_root(schema), false);
        for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++)
                programs[i] = compile(rules[i], type);
        url_program = compile(of_urls, type);
}

static enum cel_outcome ask(const struct cel_program *program, const struct json_node *object,
                            struct arena *scratch) {
        int64_t steps = CEL_STEPS_PER_CALL;
        struct cel_input input = { object, NULL, scratch, &steps };
        const char *text = NULL;

        return cel_evaluate(program, &input, &text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct json_tree *tree = json_tree_new();
        struct json_node *object = node_object(tree);
        struct arena scratch;
        enum cel_outcome outcome;

        if (!url_program)
                start();
        arena_init(&scratch, 0);
        node_put_text(tree, object, "s", slice_make((const char *)data, size));
        for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
                outcome = ask(programs[i], object, &scratch);
                assert(outcome == CEL_TRUE || outcome == CEL_OVER_BUDGET);
        }
        outcome = ask(url_program, object, &scratch);
        assert(outcome != CEL_FALSE);
        arena_release(&scratch);
        json_tree_free(tree);
        return 0;
}
