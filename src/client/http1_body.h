/* The body of an answer in HTTP/1.1: chunks, so many bytes, or all until the connection ends. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum http1_body_state {
        BODY_UNTIL_END, /* of the connection */
        BODY_COUNTED,   /* left bytes */
        BODY_CHUNK_SIZE,
        BODY_CHUNK_NOTE, /* what follows the size in its line */
        BODY_CHUNK,
        BODY_CHUNK_END,
        BODY_TRAILER, /* at the begin of a line */
        BODY_TRAILER_LINE,
        BODY_OVER,
        BODY_BROKEN
};

struct http1_body {
        enum http1_body_state state;
        uint64_t left;
        bool has_digit; /* of a chunk's size */
};

/* Moves what is of the body to the front of the bytes; its size. What follows the body is left. */
size_t http1_body_take(struct http1_body *body, char *bytes, size_t size);
