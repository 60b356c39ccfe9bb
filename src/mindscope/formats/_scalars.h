/* SPDX-License-Identifier: Apache-2.0
 * Appends scalars from records of a known form directly to the rows of their tags.
 *
 * A training writes the same few tags again and again; only step, time and value change between the records:
 *
 *     Event          09 time:8  [10 step:varint]  2a length:varint  Value ...
 *     Value          form  value:4
 *     form           0a length:varint  0a length:varint  tag  key of the scalar field
 *
 * The form of a tag follows from its name. The loop takes records made of known forms in the expected order, and checks
 * both checksums. It leaves every other record to the general reader, which knows all rules. */
#ifndef MINDSCOPE_SCALARS_H
#define MINDSCOPE_SCALARS_H

#include <math.h>

#include "_crc32c.h"
#include "_fields.h"
#include "_rows.h"

enum { SCALARS_END = 0, SCALARS_BAD_LENGTH = 1, SCALARS_BAD_PAYLOAD = 2, SCALARS_OTHER = 3, SCALARS_NO_MEMORY = 4 };
enum { RECORD_HEADER = 12, RECORD_FOOTER = 4 };

/* The loop's view of the tags, indexed by tag number, and its results. */
typedef struct {
    ScalarRows *rows;
    const uint8_t *forms; /* of all tags, concatenated */
    const size_t *form_starts; /* one more entry than tags */
    const int32_t *following; /* the tag that came after this one the last time */
    int32_t tag_count;
    int32_t last; /* tag of the previous value */
    int64_t records;
    int64_t with_scalars; /* count of records with scalars */
    double first_wall_time, last_wall_time; /* of records with scalars */
    int64_t last_step;
} Scalars;

static inline void scalars_note(Scalars *scalars, int64_t step, double wall_time) {
    if (wall_time < scalars->first_wall_time) scalars->first_wall_time = wall_time;
    if (wall_time > scalars->last_wall_time) scalars->last_wall_time = wall_time;
    if (step > scalars->last_step) scalars->last_step = step;
    scalars->with_scalars++;
}

static void scalars_forget(Scalars *scalars) {
    scalars->records = scalars->with_scalars = 0;
    scalars->first_wall_time = INFINITY;
    scalars->last_wall_time = -INFINITY;
    scalars->last_step = INT64_MIN;
}

/* Whether ``at``, which has at least ``length`` bytes, begins with a form. */
static inline int is_form(const uint8_t *at, const uint8_t *form, size_t length) {
    uint64_t one, other, differ = 0;
    if (length < 8) return memcmp(at, form, length) == 0;
    for (size_t place = 0; place + 8 < length; place += 8) {
        memcpy(&one, at + place, 8);
        memcpy(&other, form + place, 8);
        differ |= one ^ other;
    }
    memcpy(&one, at + length - 8, 8);
    memcpy(&other, form + length - 8, 8);
    return (differ | (one ^ other)) == 0;
}

/* Take an event made of known forms; changes nothing unless it returns SCALARS_END. */
static inline int scalars_take(Scalars *scalars, const uint8_t *at, const uint8_t *end) {
    double wall_time;
    uint64_t step = 0, length;
    int32_t tag = scalars->last;
    int taken = 0, status = SCALARS_OTHER;
    if (end - at < 11 || at[0] != 0x09) return SCALARS_OTHER;
    memcpy(&wall_time, at + 1, 8);
    at += 9;
    if (at[0] == 0x10) {
        at++;
        if (!short_varint(&at, end, &step)) return SCALARS_OTHER;
    }
    if (at >= end || *at++ != 0x2a) return SCALARS_OTHER;
    if (!short_varint(&at, end, &length) || length != (uint64_t)(end - at)) return SCALARS_OTHER;
    for (; at < end; taken++) {
        int32_t next = scalars->following[tag];
        size_t start = scalars->form_starts[next], size = scalars->form_starts[next + 1] - start;
        float value;
        if ((size_t)(end - at) < size + 4 || !is_form(at, scalars->forms + start, size)) break;
        memcpy(&value, at + size, 4);
        if (!rows_push(&scalars->rows[next], (int64_t)step, wall_time, value)) {
            status = SCALARS_NO_MEMORY;
            break;
        }
        tag = next;
        at += size + 4;
    }
    if (at < end) {
        for (tag = scalars->last; taken; taken--) {
            tag = scalars->following[tag];
            rows_pop(&scalars->rows[tag]);
        }
        return status;
    }
    scalars->last = tag;
    if (taken) scalars_note(scalars, (int64_t)step, wall_time);
    return SCALARS_END;
}

/* The loop, compiled once for each checksum method: the compiler does not inline a target-specific function
 * elsewhere. */
#define SCALARS_LOOP(NAME, CRC)                                                                                       \
    static int NAME(Scalars *scalars, const uint8_t *data, size_t end, size_t *position, uint64_t *length) {          \
        size_t at = *position;                                                                                        \
        int status = SCALARS_END;                                                                                     \
        *length = 0;                                                                                                  \
        while (end - at >= RECORD_HEADER) {                                                                           \
            uint32_t crc;                                                                                             \
            memcpy(length, data + at, 8);                                                                             \
            memcpy(&crc, data + at + 8, 4);                                                                           \
            if (crc != crc32c_mask(~CRC(0xFFFFFFFFu, data + at, 8))) {                                                \
                status = SCALARS_BAD_LENGTH;                                                                          \
                break;                                                                                                \
            }                                                                                                         \
            if (*length > (uint64_t)1 << 62 || end - at < *length + RECORD_HEADER + RECORD_FOOTER) break;             \
            const uint8_t *payload = data + at + RECORD_HEADER;                                                       \
            memcpy(&crc, payload + *length, 4);                                                                       \
            if (crc != crc32c_mask(~CRC(0xFFFFFFFFu, payload, *length))) {                                            \
                status = SCALARS_BAD_PAYLOAD;                                                                         \
                break;                                                                                                \
            }                                                                                                         \
            status = scalars->tag_count ? scalars_take(scalars, payload, payload + *length) : SCALARS_OTHER;          \
            if (status != SCALARS_END) break;                                                                         \
            scalars->records++;                                                                                       \
            at += *length + RECORD_HEADER + RECORD_FOOTER;                                                            \
            *length = 0;                                                                                              \
        }                                                                                                             \
        *position = at;                                                                                               \
        return status;                                                                                                \
    }

SCALARS_LOOP(scalars_scan_by_table, crc32c_by_table)
CRC32C_WITH_INSTRUCTION SCALARS_LOOP(scalars_scan_by_instruction, crc32c_by_instruction)

/* Take records from ``*position`` on; moves ``*position`` to the first record that was not taken and returns the
 * reason. A SCALARS_OTHER record is intact; ``*length`` is its payload length, also for a record that ``end`` cuts off.
 * */
static int scalars_scan(Scalars *scalars, const uint8_t *data, size_t end, size_t *position, uint64_t *length) {
    return crc32c_use_instruction ? scalars_scan_by_instruction(scalars, data, end, position, length)
                                  : scalars_scan_by_table(scalars, data, end, position, length);
}
#endif
