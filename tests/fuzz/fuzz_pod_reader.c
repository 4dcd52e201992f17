/* Pods in protobuf from a hostile server, several of them, each after two bytes with its length:
 * whatever is read from bytes to a pod gives the model that the way over values gives. */
#include "../unit/schema/pod_both_ways.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define PODS_MAX 8

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
        struct both_ways ways = both_ways_new();

        for (int i = 0; i < PODS_MAX && size >= 2; i++) {
                size_t length = data[0] | (size_t)data[1] << 8;

                data += 2;
                size -= 2;
                length = length < size ? length : size;
                both_ways_read(&ways, slice_make((const char *)data, length));
                data += length;
                size -= length;
        }
        both_ways_free(&ways);
        return 0;
}
