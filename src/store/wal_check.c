/* The log is a header and frames: 24 bytes about a page, and the page. The sums of a frame go on
 * from those of the frame before; a frame that ends a transaction says how large the database is
 * then. Frames of the log before, which lie behind the present ones, have other salts. */
#include "store/wal_check.h"

#include "base/log.h"
#include "base/util.h"
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HEADER_BYTES 32U
#define FRAME_HEADER_BYTES 24U
#define MAGIC 0x377f0682U /* or one more: sums over big-endian words */
#define PAGE_MIN 512U
#define PAGE_MAX 65536U

struct wal_scan {
        const char *path;
        FILE *file;
        int64_t size;
        uint32_t page_size, salts[2], sums[2];
        bool is_big_endian;
        int64_t good_end; /* behind the last whole transaction */
        bool is_over;     /* a frame was not what belongs there */
        bool is_torn;     /* it, or what is left of it, was written for this log */
        bool has_lost;    /* and a transaction of this log was finished behind it */
};

static uint32_t big_endian(const unsigned char *bytes) {
        return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
               bytes[3];
}

static uint32_t little_endian(const unsigned char *bytes) {
        return (uint32_t)bytes[3] << 24 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[1] << 8 |
               bytes[0];
}

/* Of a multiple of eight bytes. */
static void wal_sum(struct wal_scan *scan, const unsigned char *data, size_t size) {
        for (size_t i = 0; i + 8 <= size; i += 8) {
                uint32_t first =
                        scan->is_big_endian ? big_endian(data + i) : little_endian(data + i);
                uint32_t second = scan->is_big_endian ? big_endian(data + i + 4)
                                                      : little_endian(data + i + 4);

                scan->sums[0] += first + scan->sums[1];
                scan->sums[1] += second + scan->sums[0];
        }
}

static bool sums_are(const struct wal_scan *scan, const unsigned char *bytes) {
        return scan->sums[0] == big_endian(bytes) && scan->sums[1] == big_endian(bytes + 4);
}

static bool read_header(struct wal_scan *scan) {
        unsigned char header[HEADER_BYTES];

        if (fread(header, 1, sizeof(header), scan->file) != sizeof(header))
                return false;
        scan->page_size = big_endian(header + 8);
        scan->is_big_endian = big_endian(header) & 1;
        scan->salts[0] = big_endian(header + 16);
        scan->salts[1] = big_endian(header + 20);
        wal_sum(scan, header, 24);
        return (big_endian(header) & ~1U) == MAGIC && sums_are(scan, header + 24) &&
               scan->page_size >= PAGE_MIN && scan->page_size <= PAGE_MAX &&
               (scan->page_size & (scan->page_size - 1)) == 0;
}

/* One of the salts is enough to know a frame of this log: the other may be what is damaged. */
static bool is_of_this_log(const struct wal_scan *scan, const unsigned char *frame) {
        return big_endian(frame + 8) == scan->salts[0] || big_endian(frame + 12) == scan->salts[1];
}

static bool is_whole(struct wal_scan *scan, const unsigned char *frame) {
        wal_sum(scan, frame, 8);
        wal_sum(scan, frame + FRAME_HEADER_BYTES, scan->page_size);
        return big_endian(frame + 8) == scan->salts[0] &&
               big_endian(frame + 12) == scan->salts[1] && sums_are(scan, frame + 16);
}

/* What the file system gives for what was never written. */
static bool is_blank(const unsigned char *frame) {
        return big_endian(frame + 8) == 0 && big_endian(frame + 12) == 0;
}

static void take_frame(struct wal_scan *scan, const unsigned char *frame, int64_t end) {
        bool is_end = big_endian(frame + 4) != 0;

        if (scan->is_over) {
                scan->has_lost |= is_end && is_of_this_log(scan, frame);
        } else if (is_whole(scan, frame)) {
                scan->is_torn = !is_end;
                if (is_end)
                        scan->good_end = end;
        } else {
                scan->is_over = true;
                scan->is_torn |= is_of_this_log(scan, frame) || is_blank(frame);
        }
}

static void read_frames(struct wal_scan *scan) {
        size_t size = FRAME_HEADER_BYTES + scan->page_size;
        unsigned char *frame = xmalloc(size);
        int64_t end = HEADER_BYTES;

        scan->good_end = HEADER_BYTES;
        while (fread(frame, 1, size, scan->file) == size) {
                end += (int64_t)size;
                take_frame(scan, frame, end);
        }
        scan->is_torn |= scan->size > end;
        free(frame);
}

/* The end of the log that is cut off: frames that no transaction ends. */
static int cut_end(const struct wal_scan *scan, struct err *err) {
        if (truncate(scan->path, scan->good_end) < 0)
                return err_set_errno(err, BERTH_ERR_IO, errno, "%s: cannot cut off its torn end",
                                     scan->path);
        LOG(LOG_WARN, "LogEndCutOff", log_text("file", scan->path),
            log_i64("bytes", scan->size - scan->good_end),
            log_text("why", "the last write was not finished when the process or machine stopped"));
        return 0;
}

static int wal_judge(struct wal_scan *scan, bool has_writes, struct err *err) {
        if (!read_header(scan)) {
                if (!has_writes &&
                    scan->size < (int64_t)(HEADER_BYTES + FRAME_HEADER_BYTES + PAGE_MIN))
                        return cut_end(scan, err);
                return err_set(
                        err, BERTH_ERR_IO,
                        "%s: damaged: its header is not what was written; restore it and the "
                        "database next to it from a copy",
                        scan->path);
        }
        read_frames(scan);
        if (has_writes &&
            scan->size < (int64_t)(HEADER_BYTES + FRAME_HEADER_BYTES + scan->page_size))
                return err_set(
                        err, BERTH_ERR_IO,
                        "%s: damaged: nothing of what was written is left; restore it and the "
                        "database next to it from a copy",
                        scan->path);
        if (scan->has_lost)
                return err_set(err, BERTH_ERR_IO,
                               "%s: damaged at byte %lld: finished writes follow there; restore it "
                               "and the database next to it from a copy",
                               scan->path, (long long)scan->good_end);
        return scan->is_torn ? cut_end(scan, err) : 0;
}

int wal_check(const char *path, bool has_writes, struct err *err) {
        struct wal_scan scan = { .path = path, .file = fopen(path, "rbe") };
        struct stat about;

        if (!scan.file)
                return errno == ENOENT ? 0 : err_set_errno(err, BERTH_ERR_IO, errno, "%s", path);
        int r = 0;
        if (fstat(fileno(scan.file), &about) < 0)
                r = err_set_errno(err, BERTH_ERR_IO, errno, "%s", path);
        scan.size = r == 0 ? (int64_t)about.st_size : 0;
        if (scan.size > 0)
                r = wal_judge(&scan, has_writes, err);
        fclose(scan.file);
        return r;
}
