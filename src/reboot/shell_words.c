/* Splits a command line without running a shell. */
#include "reboot/shell_words.h"

#include "base/buf.h"
#include <stdbool.h>

struct splitter {
        struct slice text;
        size_t at;
};

static bool is_blank(char c) {
        return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* Moves over blanks and comments; false at the end. */
static bool find_word(struct splitter *splitter) {
        while (splitter->at < splitter->text.len) {
                char c = splitter->text.ptr[splitter->at];

                if (c == '#')
                        while (splitter->at < splitter->text.len &&
                               splitter->text.ptr[splitter->at] != '\n')
                                splitter->at++;
                else if (!is_blank(c))
                        return true;
                else
                        splitter->at++;
        }
        return false;
}

/* Up to the closing quote; a backslash escapes between double quotes only. */
static bool take_quoted(struct splitter *splitter, char quote, struct buf *word) {
        while (splitter->at < splitter->text.len) {
                char c = splitter->text.ptr[splitter->at++];

                if (c == quote)
                        return true;
                if (c == '\\' && quote == '"' && splitter->at < splitter->text.len)
                        c = splitter->text.ptr[splitter->at++];
                buf_char(word, c);
        }
        return false;
}

static bool take_word(struct splitter *splitter, struct buf *word) {
        while (splitter->at < splitter->text.len && !is_blank(splitter->text.ptr[splitter->at])) {
                char c = splitter->text.ptr[splitter->at++];

                if (c == '\'' || c == '"') {
                        if (!take_quoted(splitter, c, word))
                                return false;
                        continue;
                }
                if (c == '\\') {
                        if (splitter->at == splitter->text.len)
                                return false;
                        c = splitter->text.ptr[splitter->at++];
                }
                buf_char(word, c);
        }
        return true;
}

int shell_words_split(struct slice text, struct arena *arena, const char ***ret_words,
                      size_t *ret_count, struct err *err) {
        const char **words = ARENA_ARRAY(arena, const char *, SHELL_WORDS_MAX + 1);
        struct splitter splitter = { text, 0 };
        size_t count = 0;

        while (find_word(&splitter)) {
                struct buf word = { 0 };
                bool is_whole = count < SHELL_WORDS_MAX && take_word(&splitter, &word);

                if (is_whole)
                        words[count++] = arena_string(arena, buf_view(&word));
                buf_release(&word);
                if (!is_whole)
                        return err_set(err, BERTH_ERR_INVALID,
                                       "expected a command, found \"" SLICE_FMT "\"",
                                       SLICE_ARG(text));
        }
        if (count == 0)
                return err_set(err, BERTH_ERR_INVALID, "expected a command, found blanks");
        *ret_words = words;
        *ret_count = count;
        return 0;
}
