/* Sets of exit codes. */
#include "plugins/desched/exit_codes.h"
#include "plugin/desched_args.h"
#include <stdio.h>

/* A process ended by signal n leaves 128 + n. */
#define SIGNAL_BASE 128

static const struct {
        const char *name;
        int32_t number; /* as on Linux, x86 and Arm */
} signals[] = {
        { "SIGHUP", 1 },   { "SIGINT", 2 },     { "SIGQUIT", 3 },  { "SIGILL", 4 },
        { "SIGTRAP", 5 },  { "SIGABRT", 6 },    { "SIGBUS", 7 },   { "SIGFPE", 8 },
        { "SIGKILL", 9 },  { "SIGUSR1", 10 },   { "SIGSEGV", 11 }, { "SIGUSR2", 12 },
        { "SIGPIPE", 13 }, { "SIGALRM", 14 },   { "SIGTERM", 15 }, { "SIGSTKFLT", 16 },
        { "SIGCHLD", 17 }, { "SIGCONT", 18 },   { "SIGSTOP", 19 }, { "SIGTSTP", 20 },
        { "SIGTTIN", 21 }, { "SIGTTOU", 22 },   { "SIGURG", 23 },  { "SIGXCPU", 24 },
        { "SIGXFSZ", 25 }, { "SIGVTALRM", 26 }, { "SIGPROF", 27 }, { "SIGWINCH", 28 },
        { "SIGIO", 29 },   { "SIGPWR", 30 },    { "SIGSYS", 31 },
};

static bool read_number(struct slice text, int32_t *ret_number) {
        int64_t number;
        if (!slice_to_i64(slice_trim(text), &number) || number < INT32_MIN || number > INT32_MAX)
                return false;
        *ret_number = (int32_t)number;
        return true;
}

static bool read_comparison(struct slice text, struct exit_code_range *range) {
        bool is_greater = text.ptr[0] == '>', is_inclusive = text.len > 1 && text.ptr[1] == '=';
        size_t skip = is_inclusive ? 2 : 1;
        int32_t number;
        if (!read_number(slice_make(text.ptr + skip, text.len - skip), &number))
                return false;
        if (!is_inclusive && number == (is_greater ? INT32_MAX : INT32_MIN))
                return false;
        range->min = is_greater ? number + !is_inclusive : INT32_MIN;
        range->max = is_greater ? INT32_MAX : number - !is_inclusive;
        return true;
}

static bool read_signal(struct slice text, struct exit_code_range *range) {
        for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
                if (!slice_is(text, signals[i].name))
                        continue;
                range->min = range->max = SIGNAL_BASE + signals[i].number;
                return true;
        }
        return false;
}

/* The dash of a range is not the first character, which may be a sign. */
static bool read_span(struct slice text, struct exit_code_range *range) {
        for (size_t i = 1; i < text.len; i++) {
                if (text.ptr[i] != '-')
                        continue;
                return read_number(slice_make(text.ptr, i), &range->min) &&
                       read_number(slice_make(text.ptr + i + 1, text.len - i - 1), &range->max) &&
                       range->min <= range->max;
        }
        if (!read_number(text, &range->min))
                return false;
        range->max = range->min;
        return true;
}

static bool read_range(struct slice text, struct exit_code_range *range) {
        *range = (struct exit_code_range){ 0 };
        text = slice_trim(text);
        if (text.len > 0 && text.ptr[0] == '!') {
                range->is_excluded = true;
                text = slice_trim(slice_make(text.ptr + 1, text.len - 1));
        }
        if (text.len == 0)
                return false;
        if (text.ptr[0] == '>' || text.ptr[0] == '<')
                return read_comparison(text, range);
        return text.ptr[0] == 'S' ? read_signal(text, range) : read_span(text, range);
}

static bool decode_item(struct field_reader *reader, const struct json *item, size_t index,
                        struct exit_code_range *range) {
        char suffix[32];
        snprintf(suffix, sizeof(suffix), "[%zu]", index);
        int64_t number;
        if (json_as_i64(item, &number) && number >= INT32_MIN && number <= INT32_MAX) {
                *range = (struct exit_code_range){ (int32_t)number, (int32_t)number, false };
                return true;
        }
        bool takes_text = !args_want_parity(reader);
        if (takes_text && json_type(item) == JSON_STRING && read_range(json_text(item), range))
                return true;
        field_problem(reader, item, suffix, "expected %s",
                      takes_text ? "an exit code, a range such as \"2-5\" or \">=128\", a signal "
                                   "such as \"SIGKILL\", or one of these after \"!\""
                                 : "an integer of 32 bits");
        return false;
}

void exit_code_set_decode(struct field_reader *reader, const struct json *value, void *member) {
        struct exit_code_set *set = member;
        *set = (struct exit_code_set){ .only_excludes = true };
        if (!value || json_type(value) == JSON_NULL)
                return;
        if (json_type(value) != JSON_ARRAY) {
                field_problem(reader, value, NULL, "expected a list of exit codes, found %s",
                              json_type_name(json_type(value)));
                return;
        }
        set->ranges = ARENA_ARRAY(reader->arena, struct exit_code_range, json_count(value));
        struct json_iter iter = json_iter(value);
        const struct json *item;
        for (size_t i = 0; json_next(&iter, NULL, &item); i++) {
                struct exit_code_range *range = &set->ranges[set->count];
                if (!decode_item(reader, item, i, range))
                        continue;
                set->only_excludes &= range->is_excluded;
                set->count++;
        }
}

bool exit_code_set_has(const struct exit_code_set *set, int32_t code) {
        bool is_in = set->only_excludes && code != 0;
        for (size_t i = 0; i < set->count; i++) {
                const struct exit_code_range *range = &set->ranges[i];
                if (code < range->min || code > range->max)
                        continue;
                if (range->is_excluded)
                        return false;
                is_in = true;
        }
        return is_in;
}

/* Codes next to the ends of ranges: if any code is in the set, one of these is. */
bool exit_code_set_is_hollow(const struct exit_code_set *set) {
        if (set->count == 0)
                return false;
        for (size_t i = 0; i < set->count; i++) {
                const struct exit_code_range *range = &set->ranges[i];
                if (exit_code_set_has(set, range->min) || exit_code_set_has(set, range->max) ||
                    (range->max < INT32_MAX && exit_code_set_has(set, range->max + 1)) ||
                    (range->min > INT32_MIN && exit_code_set_has(set, range->min - 1)))
                        return false;
        }
        return true;
}
