/* libfyaml 0.7 forgets a buffer of 512 bytes when a quoted scalar with many quotes turns out to be
 * malformed. Weak: several targets of one program may say so. */
#pragma once

const char *__lsan_default_suppressions(void) __attribute__((weak));

const char *__lsan_default_suppressions(void) {
        return "leak:libfyaml.so";
}
