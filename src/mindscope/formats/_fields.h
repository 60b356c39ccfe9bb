/* SPDX-License-Identifier: Apache-2.0
 * Fields of an encoded message, one after the other:
 *
 *     key:varint          number of the field << 3 | wire type
 *     wire type 0         varint: seven bits a byte, the lowest first, all but the last byte with the highest bit
 *     wire types 1, 5     eight or four bytes, little endian
 *     wire type 2         length:varint, then that number of bytes
 *
 * These functions reject groups, wire types 3 and 4; the Python functions read them. */
#ifndef MINDSCOPE_FIELDS_H
#define MINDSCOPE_FIELDS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_RUN = 2, WIRE_FIXED32 = 5 };

typedef struct {
    uint64_t number;
    int wire_type;
    uint64_t bits;           /* of a varint */
    const uint8_t *at, *end; /* the bytes of any other type */
} WireField;

#define NO_FIELD {0, WIRE_VARINT, 0, NULL, NULL}

/* Read the varint at ``*at`` and move ``*at`` past it; returns 0 if it is cut off at ``end`` or longer than ten
 * bytes. */
static inline int short_varint(const uint8_t **at, const uint8_t *end, uint64_t *value) {
    uint64_t result = 0;
    for (int shift = 0; *at < end && shift < 70; shift += 7) {
        uint64_t byte = *(*at)++;
        if (shift < 64) result |= (byte & 0x7f) << shift;
        if (byte < 0x80) {
            *value = result;
            return 1;
        }
    }
    return 0;
}

/* Read the field at ``*at`` and move ``*at`` past it; returns 0 if it breaks the encoding or is a group. */
static inline int next_field(const uint8_t **at, const uint8_t *end, WireField *field) {
    uint64_t key, size;
    if (!short_varint(at, end, &key) || key >> 3 == 0) return 0;
    field->number = key >> 3;
    field->wire_type = (int)(key & 7);
    field->bits = 0;
    switch (field->wire_type) {
    case WIRE_VARINT: return short_varint(at, end, &field->bits);
    case WIRE_RUN:
        if (!short_varint(at, end, &size)) return 0;
        break;
    case WIRE_FIXED64: size = 8; break;
    case WIRE_FIXED32: size = 4; break;
    default: return 0;
    }
    if (size > (uint64_t)(end - *at)) return 0;
    field->at = *at;
    field->end = *at += size;
    return 1;
}

static inline int is_fixed(const WireField *field) {
    return field->wire_type == WIRE_FIXED64 || field->wire_type == WIRE_FIXED32;
}

/* The number in a fixed-size field. */
static inline double fixed_number(const WireField *field) {
    double f64;
    float f32;
    if (field->wire_type == WIRE_FIXED64) {
        memcpy(&f64, field->at, 8);
        return f64;
    }
    memcpy(&f32, field->at, 4);
    return f32;
}

/* Whether every field of a message is readable. */
static inline int are_fields(const uint8_t *at, const uint8_t *end) {
    WireField field = NO_FIELD;
    while (at < end)
        if (!next_field(&at, end, &field)) return 0;
    return 1;
}
#endif
