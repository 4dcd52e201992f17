/* Who is let in: tables of requests with every header that counts. */
#include "dashboard/door.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* In the texts of cases, T stands for the token and S for the secret of the cookie. */
static const struct {
        const char *name, *target, *authorization;
        const char *headers[4][2];
        enum door_answer answer;
} cases[] = {
        { "token of the address",
          "/?token=T",
          "",
          { { "Host", "127.0.0.1:8088" } },
          DOOR_FIRST_VISIT },
        { "half a token", "/?token=85", "", { { "Host", "127.0.0.1" } }, DOOR_NO_KEY },
        { "no token", "/?token=", "", { { "Host", "127.0.0.1" } }, DOOR_NO_KEY },
        { "more than the token", "/?token=Tx", "", { { "Host", "127.0.0.1" } }, DOOR_NO_KEY },
        { "the secret is no token", "/?token=S", "", { { "Host", "127.0.0.1" } }, DOOR_NO_KEY },
        { "a token elsewhere",
          "/api/berth/v1/pods?token=T",
          "",
          { { "Host", "localhost" } },
          DOOR_NO_KEY },
        { "cookie",
          "/",
          "",
          { { "host", "localhost:8088" }, { "COOKIE", "a=b; berth_dashboard_8088=S" } },
          DOOR_OPEN },
        { "cookie of another port",
          "/",
          "",
          { { "Host", "localhost" }, { "Cookie", "berth_dashboard_8089=S" } },
          DOOR_NO_KEY },
        { "wrong cookie",
          "/",
          "",
          { { "Host", "localhost" }, { "Cookie", "berth_dashboard_8088=T" } },
          DOOR_NO_KEY },
        { "cookie without value",
          "/",
          "",
          { { "Host", "localhost" }, { "Cookie", "berth_dashboard_8088" } },
          DOOR_NO_KEY },
        { "bearer", "/api/berth/v1/nodes", "Bearer T", { { "Host", "[::1]:8088" } }, DOOR_OPEN },
        { "bearer in small letters", "/", "bearer T", { { "Host", "10.1.2.3" } }, DOOR_OPEN },
        { "wrong bearer", "/", "Bearer S", { { "Host", "localhost" } }, DOOR_NO_KEY },
        { "basic", "/", "Basic T", { { "Host", "localhost" } }, DOOR_NO_KEY },
        { "nothing", "/", "", { { "Host", "localhost" } }, DOOR_NO_KEY },
        { "a name that is ours", "/", "Bearer T", { { "Host", "Map.Example:80" } }, DOOR_OPEN },
        { "a name that is not", "/", "Bearer T", { { "Host", "evil.example" } }, DOOR_WRONG_HOST },
        { "longer than ours",
          "/",
          "Bearer T",
          { { "Host", "map.example.evil" } },
          DOOR_WRONG_HOST },
        { "localhost of another",
          "/",
          "Bearer T",
          { { "Host", "localhost.evil" } },
          DOOR_WRONG_HOST },
        { "no host", "/", "Bearer T", { { "Accept", "*/*" } }, DOOR_WRONG_HOST },
        { "half an address", "/", "Bearer T", { { "Host", "[::1" } }, DOOR_WRONG_HOST },
        { "own origin",
          "/api/berth/v1/pods",
          "Bearer T",
          { { "Host", "localhost:1" }, { "Origin", "http://localhost:1" } },
          DOOR_OPEN },
        { "another port is another origin",
          "/",
          "Bearer T",
          { { "Host", "localhost:1" }, { "Origin", "http://localhost:2" } },
          DOOR_WRONG_ORIGIN },
        { "no origin at all",
          "/",
          "Bearer T",
          { { "Host", "localhost:1" }, { "Origin", "null" } },
          DOOR_WRONG_ORIGIN },
        { "asked for by another site",
          "/api/berth/v1/pods",
          "Bearer T",
          { { "Host", "localhost" }, { "Sec-Fetch-Site", "cross-site" } },
          DOOR_WRONG_ORIGIN },
        { "a link from another site",
          "/?token=T",
          "",
          { { "Host", "localhost" }, { "Sec-Fetch-Site", "cross-site" } },
          DOOR_FIRST_VISIT },
};

/* Who may ask a question, which is posted. */
static const struct {
        const char *name, *authorization, *origin, *site;
        enum door_answer answer;
} questions[] = {
        { "a script", "Bearer T", "", "", DOOR_OPEN },
        { "a script from a page", "Bearer T", "http://localhost:1", "", DOOR_OPEN },
        { "our page", "", "http://localhost:1", "same-origin", DOOR_OPEN },
        { "an old browser", "", "http://localhost:1", "", DOOR_OPEN },
        { "no origin", "", "", "", DOOR_WRONG_ORIGIN },
        { "no origin, but a site", "", "", "same-origin", DOOR_WRONG_ORIGIN },
        { "another port", "", "http://localhost:2", "same-site", DOOR_WRONG_ORIGIN },
        { "another port, old browser", "", "http://localhost:2", "", DOOR_WRONG_ORIGIN },
        { "another site that lies", "", "http://localhost:1", "cross-site", DOOR_WRONG_ORIGIN },
        { "typed by hand", "", "http://localhost:1", "none", DOOR_WRONG_ORIGIN },
};

/* T and S, where they stand alone or at the end, are replaced. */
static const char *filled(const struct door *door, const char *text, char *buffer, size_t size) {
        size_t length = strlen(text), at = strcspn(text, "TS");
        bool is_mark = text[at] && (at + 1 == length || text[at + 1] == 'x') &&
                       (at == 0 || strchr("= ", text[at - 1]));

        if (!is_mark)
                snprintf(buffer, size, "%s", text);
        else
                snprintf(buffer, size, "%.*s%s%s", (int)at, text,
                         text[at] == 'T' ? door->token : door->secret, text + at + 1);
        return buffer;
}

static void test_questions(void **state) {
        struct door door;
        struct err err = { 0 };

        (void)state;
        assert_int_equal(door_init(&door, NULL, &err), 0);
        door_name_cookie(&door, 8088);
        for (size_t i = 0; i < sizeof(questions) / sizeof(questions[0]); i++) {
                struct buf headers = { 0 };
                char authorization[200];

                buf_printf(&headers, "Host%clocalhost:1%cCookie%c%s=%s%c", 0, 0, 0, door.cookie,
                           door.secret, 0);
                if (*questions[i].origin)
                        buf_printf(&headers, "Origin%c%s%c", 0, questions[i].origin, 0);
                if (*questions[i].site)
                        buf_printf(&headers, "Sec-Fetch-Site%c%s%c", 0, questions[i].site, 0);
                const struct http_request request = {
                        .method = SLICE_LITERAL("POST"),
                        .target = SLICE_LITERAL("/api/berth/v1/plan"),
                        .authorization = slice_of(filled(&door, questions[i].authorization,
                                                         authorization, sizeof(authorization))),
                        .headers = buf_view(&headers),
                };
                if (door_ask(&door, &request) != questions[i].answer)
                        fail_msg("%s: %d", questions[i].name, door_ask(&door, &request));
                buf_release(&headers);
        }
}

static void test_visits(void **state) {
        struct door door;
        struct err err = { 0 };

        (void)state;
        assert_int_equal(door_init(&door, "other.example, map.example", &err), 0);
        door_name_cookie(&door, 8088);
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
                struct buf headers = { 0 };
                char target[200], authorization[200], value[200];

                for (size_t h = 0; h < 4 && cases[i].headers[h][0]; h++) {
                        const char *text = cases[i].headers[h][1];

                        buf_text(&headers, cases[i].headers[h][0]);
                        buf_char(&headers, '\0');
                        buf_text(&headers, strstr(cases[i].headers[h][0], "ookie") ||
                                                           strstr(cases[i].headers[h][0], "OOKIE")
                                                   ? filled(&door, text, value, sizeof(value))
                                                   : text);
                        buf_char(&headers, '\0');
                }
                struct http_request request = {
                        .method = SLICE_LITERAL("GET"),
                        .target = slice_of(filled(&door, cases[i].target, target, sizeof(target))),
                        .authorization = slice_of(filled(&door, cases[i].authorization,
                                                         authorization, sizeof(authorization))),
                        .headers = buf_view(&headers),
                };
                if (door_ask(&door, &request) != cases[i].answer)
                        fail_msg("%s: %d", cases[i].name, door_ask(&door, &request));
                buf_release(&headers);
        }
}

static void test_secrets_differ(void **state) {
        struct door a, b;
        struct err err = { 0 };
        struct buf cookie = { 0 };

        (void)state;
        assert_int_equal(door_init(&a, NULL, &err), 0);
        assert_int_equal(door_init(&b, NULL, &err), 0);
        assert_string_not_equal(a.token, b.token);
        assert_string_not_equal(a.token, a.secret);
        door_name_cookie(&a, 1);
        door_cookie_write(&a, true, &cookie);
        assert_non_null(strstr(cookie.data, "; HttpOnly; SameSite=Strict; Secure"));
        buf_release(&cookie);
        assert_int_equal(door_init(&a, "1,2,3,4,5,6,7,8,9", &err), BERTH_ERR_USAGE);
}

int main(void) {
        const struct CMUnitTest tests[] = {
                cmocka_unit_test(test_visits),
                cmocka_unit_test(test_questions),
                cmocka_unit_test(test_secrets_differ),
        };
        return cmocka_run_group_tests(tests, NULL, NULL);
}
