/* Named formats of strings: what validate() finds wrong, in upstream's words. */
#include "cel/cel_function.h"
#include "cel/cel_version.h"

#include "api/dns_name.h"
#include "api/selector.h"
#include "base/base64.h"
#include "base/time.h"
#include "base/util.h"
#include "base/uuid.h"

#define PROBLEMS_MAX 2

struct problems {
        const char *texts[PROBLEMS_MAX];
        size_t count;
};

static void cel_format_add(struct problems *problems, const char *text) {
        if (text)
                problems->texts[problems->count++] = text;
}

/* ---- names ---- */

static void check_length(struct slice text, size_t max, struct problems *problems) {
        if (text.len > max)
                cel_format_add(problems, max == DNS_LABEL_MAX
                                                 ? "must be no more than 63 characters"
                                                 : "must be no more than 253 characters");
}

/* A prefix may end in a dash. As upstream, the character before it is not checked either. */
static struct slice as_prefix(struct cel_run *run, struct slice text) {
        if (text.len < 2 || text.ptr[text.len - 1] != '-')
                return text;
        char *copy = arena_string(run->arena, text);
        copy[text.len - 2] = 'a';
        return slice_make(copy, text.len - 1);
}

static void check_label(struct cel_run *run, struct slice text, struct problems *problems) {
        (void)run;
        check_length(text, DNS_LABEL_MAX, problems);
        cel_format_add(problems, dns_label_problem(text));
}

static void check_subdomain(struct cel_run *run, struct slice text, struct problems *problems) {
        (void)run;
        check_length(text, DNS_SUBDOMAIN_MAX, problems);
        cel_format_add(problems, dns_subdomain_problem(text));
}

static void check_1035_label(struct cel_run *run, struct slice text, struct problems *problems) {
        (void)run;
        check_length(text, DNS_LABEL_MAX, problems);
        cel_format_add(problems, dns_1035_label_problem(text));
}

static void check_label_prefix(struct cel_run *run, struct slice text, struct problems *problems) {
        check_label(run, as_prefix(run, text), problems);
}

static void check_subdomain_prefix(struct cel_run *run, struct slice text,
                                   struct problems *problems) {
        check_subdomain(run, as_prefix(run, text), problems);
}

static void check_1035_label_prefix(struct cel_run *run, struct slice text,
                                    struct problems *problems) {
        check_1035_label(run, as_prefix(run, text), problems);
}

static void check_qualified_name(struct cel_run *run, struct slice text,
                                 struct problems *problems) {
        (void)run;
        cel_format_add(problems, label_key_problem(text));
}

static void check_label_value(struct cel_run *run, struct slice text, struct problems *problems) {
        (void)run;
        cel_format_add(problems, label_value_problem(text));
}

/* ---- data ---- */

static void check_uri(struct cel_run *run, struct slice text, struct problems *problems) {
        cel_format_add(problems, cel_url_problem(run, text));
}

static bool is_hex(char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Dashes may be left out. */
static void check_uuid(struct cel_run *run, struct slice text, struct problems *problems) {
        static const size_t lengths[] = { 8, 4, 4, 4, 12 };
        size_t at = 0, digits = 0;

        (void)run;
        for (size_t i = 0; i < ARRAY_LEN(lengths); i++) {
                if (i > 0 && at < text.len && text.ptr[at] == '-')
                        at++;
                for (digits = 0; digits < lengths[i] && at < text.len && is_hex(text.ptr[at]);)
                        at++, digits++;
                if (digits < lengths[i])
                        break;
        }
        if (at < text.len || digits < lengths[ARRAY_LEN(lengths) - 1])
                cel_format_add(problems, "does not match the UUID format");
}

/* With padding, and not empty. */
static void check_byte(struct cel_run *run, struct slice text, struct problems *problems) {
        struct buf out = { 0 };
        bool has_break =
                text.len && (memchr(text.ptr, '\n', text.len) || memchr(text.ptr, '\r', text.len));

        (void)run;
        if (text.len == 0 || text.len % 4 != 0 || has_break ||
            !base64_decode(text, BASE64_STANDARD, &out))
                cel_format_add(problems, "invalid base64");
        buf_release(&out);
}

static void check_date(struct cel_run *run, struct slice text, struct problems *problems) {
        struct wall_time time;
        const char *midnight = arena_printf(run->arena, SLICE_FMT "T00:00:00Z", SLICE_ARG(text));

        if (text.len != strlen("2006-01-02") || !wall_time_parse(slice_of(midnight), &time))
                cel_format_add(problems, "invalid date");
}

static void check_datetime(struct cel_run *run, struct slice text, struct problems *problems) {
        struct wall_time time;

        (void)run;
        if (!wall_time_parse(text, &time) || !wall_time_is_set(time))
                cel_format_add(problems, "invalid datetime");
}

/* ---- the formats ---- */

static const struct format {
        const char *name;
        void (*check)(struct cel_run *run, struct slice text, struct problems *problems);
} formats[] = {
        { "dns1123Label", check_label },
        { "dns1123Subdomain", check_subdomain },
        { "dns1035Label", check_1035_label },
        { "qualifiedName", check_qualified_name },
        { "dns1123LabelPrefix", check_label_prefix },
        { "dns1123SubdomainPrefix", check_subdomain_prefix },
        { "dns1035LabelPrefix", check_1035_label_prefix },
        { "labelValue", check_label_value },
        { "uri", check_uri },
        { "uuid", check_uuid },
        { "byte", check_byte },
        { "date", check_date },
        { "datetime", check_datetime },
};

static const struct format *format_find(struct slice name) {
        for (size_t i = 0; i < ARRAY_LEN(formats); i++) {
                if (slice_is(name, formats[i].name))
                        return &formats[i];
        }
        return NULL;
}

FUNCTION(format_named) {
        const struct format *format = format_find(args[0].as.text);

        if (!format)
                return cel_optional(run, NULL);
        struct cel_value value = cel_text(CEL_FORMAT, slice_of(format->name));
        return cel_optional(run, &value);
}

FUNCTION(validate) {
        const struct format *format = format_find(args[0].as.text);
        struct problems problems = { 0 };

        if (cel_spend(run, 1 + args[1].as.text.len / 16))
                format->check(run, args[1].as.text, &problems);
        if (problems.count == 0)
                return cel_optional(run, NULL);
        struct cel_value *items = ARENA_ARRAY(run->arena, struct cel_value, problems.count);
        for (size_t i = 0; i < problems.count; i++)
                items[i] = cel_text(CEL_STRING, slice_of(problems.texts[i]));
        struct cel_value list = cel_list(items, problems.count);
        return cel_optional(run, &list);
}

#define FORMAT(name)                                                                               \
        FUNCTION(format_##name) {                                                                  \
                (void)run;                                                                         \
                (void)args;                                                                        \
                return cel_text(CEL_FORMAT, SLICE_LITERAL(#name));                                 \
        }
#define ROW(name)                                                                                  \
        {                                                                                          \
                "format." #name, false, CEL_FORMAT, format_##name, 0, {                            \
                        CEL_DYN                                                                    \
                }                                                                                  \
        }

FORMAT(dns1123Label)
FORMAT(dns1123Subdomain)
FORMAT(dns1035Label)
FORMAT(qualifiedName)
FORMAT(dns1123LabelPrefix)
FORMAT(dns1123SubdomainPrefix)
FORMAT(dns1035LabelPrefix)
FORMAT(labelValue)
FORMAT(uri)
FORMAT(uuid)
FORMAT(byte)
FORMAT(date)
FORMAT(datetime)

static const struct cel_function rows[] = {
        { "format.named", false, CEL_OPTIONAL_FORMAT, format_named, 1, { CEL_STRING } },
        { "validate", true, CEL_OPTIONAL_STRINGS, validate, 2, { CEL_FORMAT, CEL_STRING } },
        ROW(dns1123Label),
        ROW(dns1123Subdomain),
        ROW(dns1035Label),
        ROW(qualifiedName),
        ROW(dns1123LabelPrefix),
        ROW(dns1123SubdomainPrefix),
        ROW(dns1035LabelPrefix),
        ROW(labelValue),
        ROW(uri),
        ROW(uuid),
        ROW(byte),
        ROW(date),
        ROW(datetime),
};
const struct cel_function_set cel_format_functions = { rows, ARRAY_LEN(rows) };
