/* Syntax of URLs in configuration. */
#include "config/http_url.h"

#include "base/url.h"

const char *http_url_problem(struct slice text) {
        struct url url;
        return url_parse(text, URL_ANY, &url);
}
