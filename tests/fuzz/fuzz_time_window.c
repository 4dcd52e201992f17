/* When reboots may begin: windows, times, days and days off as options write them, in a zone read
 * from the bytes after the first NUL. */
#include "reboot/time_window.h"

#include "reboot/time_zone.h"
#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const int64_t moments_s[] = { 0, 1767225600, -62135596800, 253402300799, 1774746000 };

static void ask(const struct time_window *window, const struct excluded_days *excluded) {
        struct window_calendar calendar = { 1, window, excluded ? 1 : 0, excluded };

        for (size_t i = 0; i < sizeof(moments_s) / sizeof(moments_s[0]); i++) {
                int64_t s = moments_s[i];
                struct wall_time now = { s > 9000000000 || s < -9000000000 ? 0 : s * NS_PER_S };

                assert(!time_window_is_open(window, now) ||
                       time_window_opens_within(window, now, 3600 * NS_PER_S));
                window_calendar_opens_within(&calendar, now, 3600 * NS_PER_S);
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        const uint8_t *cut = size ? memchr(data, 0, size) : NULL;
        struct slice text = slice_make((const char *)data, cut ? (size_t)(cut - data) : size);
        struct slice bytes =
                slice_make((const char *)(cut ? cut + 1 : data), cut ? size - text.len - 1 : 0);
        struct time_zone *zone = NULL;
        struct time_window window;
        struct excluded_days excluded;
        struct arena arena;
        unsigned days = 0;
        int32_t second;

        arena_init(&arena, 0);
        if (cut && time_zone_parse(bytes, &arena, &zone, NULL) == 0)
                for (size_t i = 0; i < sizeof(moments_s) / sizeof(moments_s[0]); i++)
                        time_zone_offset(zone, moments_s[i]);
        if (time_of_day_parse(text, &second, NULL) == 0)
                assert(second >= 0 && second < 86400);
        if (days_parse(text, &days, NULL) == 0)
                assert(days < 128);
        if (excluded_days_parse(text, &excluded, NULL) < 0)
                excluded = (struct excluded_days){ .first = 1, .last = 2 };
        if (time_window_parse(text, zone, &window, NULL) == 0)
                ask(&window, &excluded);
        arena_release(&arena);
        return 0;
}
