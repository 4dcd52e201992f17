/* Allocation that cannot fail quietly, and the functions behind the cleanup attribute. */
#include "base/util.h"

#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

void *xmalloc(size_t size) {
        void *pointer = malloc(size ? size : 1);
        if (!pointer)
                abort();
        return pointer;
}

void *xcalloc(size_t count, size_t size) {
        void *pointer = count && size ? calloc(count, size) : calloc(1, 1);
        if (!pointer)
                abort();
        return pointer;
}

void *xrealloc(void *pointer, size_t size) {
        void *grown = realloc(pointer, size ? size : 1);
        if (!grown)
                abort();
        return grown;
}

void *xreallocarray(void *pointer, size_t count, size_t size) {
        if (size && count > SIZE_MAX / size)
                abort();
        return xrealloc(pointer, count * size);
}

void cleanup_free(void *pointer_to_pointer) {
        free(*(void **)pointer_to_pointer);
}

void cleanup_close(int *fd) {
        if (*fd >= 0)
                close(*fd);
}
