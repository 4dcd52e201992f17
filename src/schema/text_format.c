/* One function for each format, and a table of them. */
#include "schema/text_format.h"

#include "base/buf.h"
#include "base/ip_text.h"
#include "base/time.h"
#include "base/url.h"
#include "base/utf8.h"
#include "base/util.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- characters ---- */

static bool is_ascii_digit(char c) {
        return c >= '0' && c <= '9';
}

static bool is_hex_digit(char c) {
        return is_ascii_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool is_ascii_letter(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_lower_name(char c) {
        return is_ascii_digit(c) || (c >= 'a' && c <= 'z');
}

static size_t run_length(struct slice text, size_t at, bool (*holds)(char c)) {
        size_t start = at;

        while (at < text.len && holds(text.ptr[at]))
                at++;
        return at - start;
}

/* Without characters of the set, NUL-terminated; the length, or 0 when it is longer than size - 1.
 */
static size_t text_without(struct slice text, const char *set, char *buffer, size_t size) {
        size_t length = 0;

        for (size_t i = 0; i < text.len; i++) {
                if (strchr(set, text.ptr[i]) && text.ptr[i])
                        continue;
                if (length + 1 >= size)
                        return 0;
                buffer[length++] = text.ptr[i];
        }
        buffer[length] = '\0';
        return length;
}

/* ---- numbers and identifiers ---- */

/* Groups of hexadecimal digits with or without dashes between them; the digit that begins the third
 * group, and one of those that may begin the fourth, when they are given. */
static bool is_uuid_like(struct slice text, char version, const char *variants) {
        static const size_t groups[] = { 8, 4, 4, 4, 12 };
        size_t at = 0;

        for (size_t i = 0; i < ARRAY_LEN(groups); i++) {
                if (i && at < text.len && text.ptr[at] == '-')
                        at++;
                if (at + groups[i] > text.len || (version && i == 2 && text.ptr[at] != version) ||
                    (variants && i == 3 && !strchr(variants, tolower((unsigned char)text.ptr[at]))))
                        return false;
                for (size_t k = 0; k < groups[i]; k++)
                        if (!is_hex_digit(text.ptr[at++]))
                                return false;
        }
        return at == text.len;
}

static bool is_uuid(struct slice text) {
        return is_uuid_like(text, 0, NULL);
}

static bool is_uuid3(struct slice text) {
        return is_uuid_like(text, '3', NULL);
}

static bool is_uuid4(struct slice text) {
        return is_uuid_like(text, '4', "89ab");
}

static bool is_uuid5(struct slice text) {
        return is_uuid_like(text, '5', "89ab");
}

static bool is_bson_id(struct slice text) {
        return text.len == 24 && run_length(text, 0, is_hex_digit) == 24;
}

static bool is_ssn(struct slice text) {
        return text.len == 11 && run_length(text, 0, is_ascii_digit) == 3 &&
               strchr("- ", text.ptr[3]) && run_length(text, 4, is_ascii_digit) == 2 &&
               strchr("- ", text.ptr[6]) && run_length(text, 7, is_ascii_digit) == 4;
}

static bool is_isbn10(struct slice text) {
        char digits[16];
        int sum = 0;

        if (text_without(text, " \t\n\v\f\r-", digits, sizeof(digits)) != 10)
                return false;
        for (int i = 0; i < 10; i++) {
                if (!is_ascii_digit(digits[i]) && !(i == 9 && digits[i] == 'X'))
                        return false;
                sum += (i + 1) * (digits[i] == 'X' ? 10 : digits[i] - '0');
        }
        return sum % 11 == 0;
}

static bool is_isbn13(struct slice text) {
        char digits[16];
        int sum = 0;

        if (text_without(text, " \t\n\v\f\r-", digits, sizeof(digits)) != 13)
                return false;
        for (int i = 0; i < 13; i++) {
                if (!is_ascii_digit(digits[i]))
                        return false;
                sum += (i % 2 ? 3 : 1) * (digits[i] - '0');
        }
        return sum % 10 == 0;
}

static bool is_isbn(struct slice text) {
        return is_isbn10(text) || is_isbn13(text);
}

/* Numbers of the issuers, by their first digits and lengths. */
static bool is_card_number(const char *digits, size_t length) {
        static const struct {
                size_t digits;
                int low, high; /* what the first so many digits are */
                size_t length;
        } issuers[] = {
                { 1, 4, 4, 13 },   { 1, 4, 4, 16 },   { 2, 51, 55, 16 },     { 4, 6011, 6011, 16 },
                { 2, 65, 65, 16 }, { 2, 34, 34, 15 }, { 2, 37, 37, 15 },     { 3, 300, 305, 14 },
                { 2, 36, 36, 14 }, { 2, 38, 38, 14 }, { 4, 2131, 2131, 15 }, { 4, 1800, 1800, 15 },
                { 2, 35, 35, 16 },
        };

        for (size_t i = 0; i < ARRAY_LEN(issuers); i++) {
                int number = 0;

                if (length != issuers[i].length)
                        continue;
                for (size_t k = 0; k < issuers[i].digits; k++)
                        number = number * 10 + digits[k] - '0';
                if (number >= issuers[i].low && number <= issuers[i].high)
                        return true;
        }
        return false;
}

/* Whatever stands between the digits; they have to sum up as Luhn says. */
static bool is_credit_card(struct slice text) {
        char digits[20];
        size_t length = 0;
        int sum = 0;

        for (size_t i = 0; i < text.len; i++) {
                if (!is_ascii_digit(text.ptr[i]))
                        continue;
                if (length == sizeof(digits))
                        return false;
                digits[length++] = text.ptr[i];
        }
        if (!is_card_number(digits, length))
                return false;
        for (size_t i = 0; i < length; i++) {
                int digit = digits[length - 1 - i] - '0';

                sum += i % 2 == 0 ? digit : digit < 5 ? 2 * digit : 2 * digit - 9;
        }
        return sum % 10 == 0;
}

/* ---- colours ---- */

static bool is_hex_color(struct slice text) {
        if (text.len && text.ptr[0] == '#')
                text = slice_make(text.ptr + 1, text.len - 1);
        return (text.len == 3 || text.len == 6) && run_length(text, 0, is_hex_digit) == text.len;
}

static bool is_blank_char(char c) {
        return c && strchr(" \t\n\f\r", c);
}

/* 0 to 255 without zeros in front. */
static bool take_channel(struct slice text, size_t *at) {
        size_t length = run_length(text, *at, is_ascii_digit);
        int value = 0;

        if (length == 0 || length > 3 || (length > 1 && text.ptr[*at] == '0'))
                return false;
        for (size_t i = 0; i < length; i++)
                value = value * 10 + text.ptr[(*at)++] - '0';
        return value <= 255;
}

static bool is_rgb_color(struct slice text) {
        size_t at = 4;

        if (!slice_has_prefix(text, SLICE_LITERAL("rgb(")))
                return false;
        for (int i = 0; i < 3; i++) {
                at += run_length(text, at, is_blank_char);
                if (!take_channel(text, &at))
                        return false;
                at += run_length(text, at, is_blank_char);
                if (at >= text.len || text.ptr[at++] != (i < 2 ? ',' : ')'))
                        return false;
        }
        return at == text.len;
}

/* ---- the net ---- */

static bool is_ipv4(struct slice text) {
        struct ip_address address;

        return ip_parse(text, &address) && memchr(text.ptr, '.', text.len);
}

static bool is_ipv6(struct slice text) {
        struct ip_address address;

        return ip_parse(text, &address) && !address.has_zeros && memchr(text.ptr, ':', text.len);
}

static bool is_cidr(struct slice text) {
        struct ip_network network;

        return ip_network_parse(text, &network);
}

/* Pairs of digits between colons or dashes, or fours between dots: 6, 8 or 20 bytes. */
static bool is_mac(struct slice text) {
        size_t group = text.len > 4 && text.ptr[4] == '.' ? 4 : 2, bytes = 0, at = 0;
        char mark = text.len > group ? text.ptr[group] : 0;

        if (!mark || !strchr(group == 4 ? "." : ":-", mark))
                return false;
        while (at < text.len) {
                if (at && text.ptr[at++] != mark)
                        return false;
                for (size_t i = 0; i < group; i++)
                        if (at >= text.len || !is_hex_digit(text.ptr[at++]))
                                return false;
                bytes += group / 2;
        }
        return bytes == 6 || bytes == 8 || bytes == 20;
}

static bool is_host_char(char c) {
        return (unsigned char)c >= 0x80 || is_ascii_digit(c) || is_ascii_letter(c) ||
               (c && strchr("$+<=>^`|~", c));
}

static bool is_host_or_dash(char c) {
        return is_host_char(c) || c == '-';
}

static bool is_host_letter(char c) {
        return (unsigned char)c >= 0x80 || is_ascii_letter(c);
}

/* It may begin and end with a dash where it is the last one. */
static bool is_host_label(struct slice label, bool is_last) {
        if (label.len == 0 || label.len > 63 || run_length(label, 0, is_host_or_dash) != label.len)
                return false;
        return is_last || (label.ptr[0] != '-' && label.ptr[label.len - 1] != '-');
}

/* One label, with a dash behind its first character at most; or several, of which the last has two
 * letters or more and nothing else. */
static bool is_hostname(struct slice text) {
        struct slice rest = text, label;
        size_t labels = 0;

        if (text.len == 0 || text.len > 255 || !is_host_char(text.ptr[0]))
                return false;
        while (slice_split(&rest, '.', &label)) {
                bool is_last = !rest.ptr;

                labels++;
                if (!is_host_label(label, is_last))
                        return false;
                if (is_last && labels > 1)
                        return label.len >= 2 && run_length(label, 0, is_host_letter) == label.len;
        }
        return !memchr(text.ptr + 1, '-', text.len - 1) ||
               (text.ptr[1] == '-' && !memchr(text.ptr + 2, '-', text.len - 2));
}

static bool is_uri(struct slice text) {
        struct url url;

        return !url_parse(text, URL_REQUEST, &url);
}

static bool is_atom_char(char c) {
        return (unsigned char)c >= 0x80 || is_ascii_digit(c) || is_ascii_letter(c) ||
               (c && strchr("!#$%&'*+-/=?^_`{|}~", c));
}

/* Atoms between dots. */
static bool is_dot_atom(struct slice text) {
        struct slice atom;

        if (text.len == 0)
                return false;
        while (slice_split(&text, '.', &atom))
                if (atom.len == 0 || run_length(atom, 0, is_atom_char) != atom.len)
                        return false;
        return true;
}

/* Atoms between dots, or an address in brackets. */
static bool is_mail_domain(struct slice text) {
        struct ip_address address;

        if (text.len < 2 || text.ptr[0] != '[' || text.ptr[text.len - 1] != ']')
                return is_dot_atom(text);
        return ip_parse(slice_make(text.ptr + 1, text.len - 2), &address) && !address.has_zeros;
}

/* An address, or one in angle brackets behind a name. */
static bool is_email(struct slice text) {
        text = slice_trim(text);
        const char *open = text.len ? memchr(text.ptr, '<', text.len) : NULL;
        if (open && text.ptr[text.len - 1] == '>')
                text = slice_make(open + 1, (size_t)(text.ptr + text.len - open) - 2);
        const char *mark = text.len ? memchr(text.ptr, '@', text.len) : NULL;
        if (!mark)
                return false;
        size_t before = (size_t)(mark - text.ptr);
        struct slice local = slice_make(text.ptr, before);
        struct slice domain = slice_make(mark + 1, text.len - before - 1);
        bool is_quoted = local.len > 2 && local.ptr[0] == '"' && local.ptr[local.len - 1] == '"';
        return (is_quoted || is_dot_atom(local)) && is_mail_domain(domain);
}

/* ---- times and bytes ---- */

static bool is_date(struct slice text) {
        struct wall_time time;
        char moment[40];

        if (text.len != 10)
                return false;
        snprintf(moment, sizeof(moment), SLICE_FMT "T00:00:00Z", SLICE_ARG(text));
        return wall_time_parse(slice_of(moment), &time);
}

/* Two digits, up to a limit. */
static bool take_pair(struct slice text, size_t at, int max) {
        return at + 2 <= text.len && is_ascii_digit(text.ptr[at]) &&
               is_ascii_digit(text.ptr[at + 1]) &&
               (text.ptr[at] - '0') * 10 + text.ptr[at + 1] - '0' <= max;
}

/* A date and a time of the day, whose text is long enough to have both. */
static bool has_clock(struct slice text) {
        return is_date(slice_make(text.ptr, 10)) && strchr("tT", text.ptr[10]) &&
               take_pair(text, 11, 23) && text.ptr[13] == ':' && take_pair(text, 14, 59) &&
               text.ptr[16] == ':' && take_pair(text, 17, 59);
}

/* What is behind all else: Z, or hours and minutes. */
static bool is_zone(struct slice text) {
        if (text.len == 1)
                return strchr("zZ", text.ptr[0]);
        return text.len == 6 && strchr("+-", text.ptr[0]) && take_pair(text, 1, 99) &&
               text.ptr[3] == ':' && take_pair(text, 4, 99);
}

/* Any character may stand before the fraction. */
static bool is_datetime(struct slice text) {
        if (text.len < 20 || !has_clock(text))
                return false;
        size_t at = 19, digits = at + 1 < text.len ? run_length(text, at + 1, is_ascii_digit) : 0;
        if (!strchr("+-zZ", text.ptr[at])) {
                if (digits == 0)
                        return false;
                at += 1 + digits;
        }
        return is_zone(slice_make(text.ptr + at, text.len - at));
}

static bool is_unit(struct slice word) {
        static const char *const exact[] = { "ns", "us", "\xc2\xb5s", "ms", "s", "m",
                                             "h",  "hr", "d",         "w",  "wk" };
        static const char *const heads[] = { "nano", "micro", "milli", "sec",
                                             "min",  "hour",  "day",   "week" };
        char lower[8];
        size_t length = word.len < sizeof(lower) ? word.len : sizeof(lower) - 1;

        for (size_t i = 0; i < length; i++)
                lower[i] = (char)tolower((unsigned char)word.ptr[i]);
        for (size_t i = 0; i < ARRAY_LEN(exact); i++)
                if (word.len == length && slice_is(slice_make(lower, length), exact[i]))
                        return true;
        for (size_t i = 0; i < ARRAY_LEN(heads); i++)
                if (slice_has_prefix(slice_make(lower, length), slice_of(heads[i])))
                        return true;
        return false;
}

static bool is_unit_char(char c) {
        return is_ascii_letter(c) || (unsigned char)c == 0xc2 || (unsigned char)c == 0xb5;
}

/* A number and a unit somewhere in the text will do. */
static bool is_duration(struct slice text) {
        int64_t ns;

        if (duration_parse(text, &ns))
                return true;
        for (size_t at = 0; at < text.len;) {
                size_t digits = run_length(text, at, is_ascii_digit);
                size_t gap = run_length(text, at + digits, is_blank_char);
                size_t start = at + digits + gap, letters = run_length(text, start, is_unit_char);

                if (digits > 18)
                        return false;
                if (digits && letters && is_unit(slice_make(text.ptr + start, letters)))
                        return true;
                at += digits ? digits + (letters ? gap + letters : 0) : 1;
        }
        return false;
}

static bool is_base64_char(char c) {
        return is_ascii_digit(c) || is_ascii_letter(c) || c == '+' || c == '/';
}

static bool is_base64(struct slice text) {
        size_t length = run_length(text, 0, is_base64_char), padding = text.len - length;

        if (text.len == 0 || text.len % 4 || padding > 2)
                return false;
        for (size_t i = length; i < text.len; i++)
                if (text.ptr[i] != '=')
                        return false;
        return true;
}

static bool is_anything(struct slice text) {
        (void)text;
        return true;
}

/* ---- names of Kubernetes ---- */

static bool is_name_char(char c) {
        return is_lower_name(c) || c == '-';
}

static bool is_short_name(struct slice text) {
        return text.len > 0 && text.len <= 63 && run_length(text, 0, is_name_char) == text.len &&
               is_lower_name(text.ptr[0]) && is_lower_name(text.ptr[text.len - 1]);
}

static bool is_long_name(struct slice text) {
        struct slice label;

        if (text.len == 0 || text.len > 253)
                return false;
        while (slice_split(&text, '.', &label))
                if (label.len == 0 || run_length(label, 0, is_name_char) != label.len ||
                    !is_lower_name(label.ptr[0]) || !is_lower_name(label.ptr[label.len - 1]))
                        return false;
        return true;
}

/* ---- the table ---- */

static const struct {
        const char *name; /* without dashes */
        bool (*holds)(struct slice text);
} formats[] = {
        { "bsonobjectid", is_bson_id },
        { "uri", is_uri },
        { "email", is_email },
        { "hostname", is_hostname },
        { "ipv4", is_ipv4 },
        { "ipv6", is_ipv6 },
        { "cidr", is_cidr },
        { "mac", is_mac },
        { "uuid", is_uuid },
        { "uuid3", is_uuid3 },
        { "uuid4", is_uuid4 },
        { "uuid5", is_uuid5 },
        { "isbn", is_isbn },
        { "isbn10", is_isbn10 },
        { "isbn13", is_isbn13 },
        { "creditcard", is_credit_card },
        { "ssn", is_ssn },
        { "hexcolor", is_hex_color },
        { "rgbcolor", is_rgb_color },
        { "byte", is_base64 },
        { "password", is_anything },
        { "date", is_date },
        { "duration", is_duration },
        { "datetime", is_datetime },
        { "k8sshortname", is_short_name },
        { "k8slongname", is_long_name },
};

static size_t format_index(struct slice format) {
        char name[32];
        size_t i = 0;

        if (text_without(format, "-", name, sizeof(name)) == 0)
                return ARRAY_LEN(formats);
        while (i < ARRAY_LEN(formats) && strcmp(formats[i].name, name) != 0)
                i++;
        return i;
}

bool text_format_is_known(struct slice format) {
        return format_index(format) < ARRAY_LEN(formats);
}

bool text_format_holds(struct slice format, struct slice text) {
        size_t i = format_index(format);

        return i == ARRAY_LEN(formats) || formats[i].holds(text);
}
