/* Bytes of chunks are moved as a whole, the lines around them read one by one. */
#include "client/http1_body.h"

#include <string.h>

#define CHUNK_MAX ((uint64_t)1 << 32)

static int digit_of(char c) {
        if (c >= '0' && c <= '9')
                return c - '0';
        c |= 0x20;
        return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static enum http1_body_state after_size(const struct http1_body *body) {
        if (!body->has_digit)
                return BODY_BROKEN;
        return body->left ? BODY_CHUNK : BODY_TRAILER;
}

static enum http1_body_state take_digit(struct http1_body *body, char c) {
        int digit = digit_of(c);

        if (c == '\n')
                return after_size(body);
        if (digit < 0)
                return c == ';' || c == ' ' || c == '\t' || c == '\r' ? BODY_CHUNK_NOTE
                                                                      : BODY_BROKEN;
        body->has_digit = true;
        body->left = body->left * 16 + (uint64_t)digit;
        return body->left <= CHUNK_MAX ? BODY_CHUNK_SIZE : BODY_BROKEN;
}

/* A byte outside of the content. */
static enum http1_body_state take_mark(struct http1_body *body, char c) {
        switch (body->state) {
        case BODY_CHUNK_SIZE:
                return take_digit(body, c);
        case BODY_CHUNK_NOTE:
                return c == '\n' ? after_size(body) : BODY_CHUNK_NOTE;
        case BODY_CHUNK_END:
                body->has_digit = false;
                if (c == '\n')
                        return BODY_CHUNK_SIZE;
                return c == '\r' ? BODY_CHUNK_END : BODY_BROKEN;
        case BODY_TRAILER:
                if (c == '\n')
                        return BODY_OVER;
                return c == '\r' ? BODY_TRAILER : BODY_TRAILER_LINE;
        case BODY_TRAILER_LINE:
                return c == '\n' ? BODY_TRAILER : BODY_TRAILER_LINE;
        case BODY_UNTIL_END:
        case BODY_COUNTED:
        case BODY_CHUNK:
        case BODY_OVER:
        case BODY_BROKEN:
                break;
        }
        return body->state;
}

/* How many of the bytes are content. */
static size_t content_size(const struct http1_body *body, size_t size) {
        if (body->state == BODY_UNTIL_END)
                return size;
        if (body->state != BODY_COUNTED && body->state != BODY_CHUNK)
                return 0;
        return body->left < size ? (size_t)body->left : size;
}

static void pass_content(struct http1_body *body, size_t size) {
        if (body->state == BODY_UNTIL_END)
                return;
        body->left -= size;
        if (body->left == 0)
                body->state = body->state == BODY_CHUNK ? BODY_CHUNK_END : BODY_OVER;
}

size_t http1_body_take(struct http1_body *body, char *bytes, size_t size) {
        size_t at = 0, moved = 0;

        if (body->state == BODY_COUNTED && body->left == 0)
                body->state = BODY_OVER;
        while (at < size && body->state != BODY_OVER && body->state != BODY_BROKEN) {
                size_t content = content_size(body, size - at);

                if (content == 0) {
                        body->state = take_mark(body, bytes[at++]);
                        continue;
                }
                memmove(bytes + moved, bytes + at, content);
                moved += content;
                at += content;
                pass_content(body, content);
        }
        return moved;
}
