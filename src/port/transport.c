/* Names of the transport's methods. */
#include "port/transport.h"

const char *api_method_name(enum api_method method) {
        static const char *const names[] = { [API_GET] = "GET",
                                             [API_POST] = "POST",
                                             [API_PUT] = "PUT",
                                             [API_PATCH] = "PATCH",
                                             [API_DELETE] = "DELETE" };

        return names[method];
}
