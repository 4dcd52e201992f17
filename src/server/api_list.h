/* Collections: which objects are selected, and a page of them. */
#pragma once

#include "api/selector.h"
#include "server/api_context.h"

struct selection {
        struct selector labels;
        struct field_selector fields;
        bool is_all;            /* selects everything */
        struct slice only_name; /* metadata.name=x among the fields */
};
int selection_parse(struct api_context *context, const struct api_resource *resource,
                    struct slice labels, struct slice fields, struct arena *arena,
                    struct selection *ret_selection);
bool selection_matches(struct api_engine *engine, const struct api_resource *resource,
                       const struct selection *selection, const struct store_object *object,
                       struct arena *scratch);

/* Part of a collection. */
struct page {
        struct selection selection;
        struct store_range range;
        size_t limit; /* 0 = all */
        uint64_t shown_revision;
        const struct store_object **objects; /* borrowed; the array is the caller's to free */
        size_t count, cap, bytes;
        bool has_more;
        size_t remaining;
        char *token; /* in the arena */
};
/* Numbers and selectors of the query parameters, as far as they can be read at all. */
struct list_numbers {
        int64_t timeout_s, limit;
};
int list_options_parse(struct api_context *context, struct list_numbers *ret_numbers);
int page_options(struct api_context *context, struct page *page); /* all query parameters */
int page_open(struct api_context *context, struct page *page);    /* once they are known */
int page_write(struct api_context *context, const struct page *page);
/* A list whose text is made while it is read; takes the page's objects over. */
struct http_stream *list_stream_new(const struct api_resource *resource, struct page *page,
                                    struct buf *head);
