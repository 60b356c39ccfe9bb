/* SPDX-License-Identifier: Apache-2.0
 * Scalars that TensorBoard's newer writers store as tensors, in the forms that writers use:
 *
 *     Value          tag, node_name, metadata in any order, and one tensor
 *     TensorProto    dtype, a shape without dimensions, and the number: in tensor_content, in the list of its dtype, or
 *                    nowhere, which is zero
 *
 * ``tensorboard.decode_scalar`` handles every other form, including unusual ones, and reports errors. */
#ifndef MINDSCOPE_SCALAR_TENSORS_H
#define MINDSCOPE_SCALAR_TENSORS_H

#include <math.h>

#include "_fields.h"

/* Whether a message has only fields up to ``last``, all length-delimited except ``number``, which is a varint. */
static inline int has_runs(const uint8_t *at, const uint8_t *end, uint64_t last, uint64_t number) {
    WireField field = NO_FIELD;
    while (at < end) {
        if (!next_field(&at, end, &field) || field.number > last) return 0;
        if (field.wire_type != (field.number == number ? WIRE_VARINT : WIRE_RUN)) return 0;
    }
    return 1;
}

/* Whether SummaryMetadata {1 plugin_data {1 name, 2 content}, 2 name, 3 description, 4 class} has the usual form. */
static inline int is_plain_metadata(const uint8_t *at, const uint8_t *end) {
    WireField field = NO_FIELD;
    if (!has_runs(at, end, 4, 4)) return 0;
    while (at < end) {
        next_field(&at, end, &field);
        if (field.number == 1 && !has_runs(field.at, field.end, 2, 0)) return 0;
    }
    return 1;
}

static inline double half_to_double(uint16_t bits) {
    int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    double size = exponent == 31  ? (mantissa ? (double)NAN : (double)INFINITY)
                  : exponent == 0 ? ldexp(mantissa, -24)
                                  : ldexp(1024 + mantissa, exponent - 25);
    return bits >> 15 ? -size : size;
}

enum { DTYPE_FLOAT = 1, DTYPE_DOUBLE = 2, DTYPE_INT32 = 3, DTYPE_INT64 = 9, DTYPE_HALF = 19 };

/* The field of TensorProto that lists the numbers of a dtype, and their size in tensor_content; 0 for any other dtype. */
static inline uint64_t list_of(uint64_t dtype, uint64_t *size) {
    switch (dtype) {
    case DTYPE_FLOAT: *size = 4; return 5;
    case DTYPE_DOUBLE: *size = 8; return 6;
    case DTYPE_INT32: *size = 4; return 7;
    case DTYPE_INT64: *size = 8; return 10;
    case DTYPE_HALF: *size = 2; return 13;
    }
    return 0;
}

/* A number from its bits; ignores the bits above its size. */
static inline double number_of(uint64_t dtype, uint64_t bits) {
    uint32_t low = (uint32_t)bits;
    float f32;
    double f64;
    switch (dtype) {
    case DTYPE_FLOAT: memcpy(&f32, &low, 4); return f32;
    case DTYPE_DOUBLE: memcpy(&f64, &bits, 8); return f64;
    case DTYPE_INT32: return (int32_t)low;
    case DTYPE_INT64: return (double)(int64_t)bits;
    }
    return half_to_double((uint16_t)bits);
}

/* The bits of the one number in a list of numbers, packed or not. */
static inline int listed_bits(const WireField *field, uint64_t dtype, uint64_t size, uint64_t *bits) {
    int is_varint = dtype != DTYPE_FLOAT && dtype != DTYPE_DOUBLE;
    const uint8_t *at = field->at;
    if (is_varint && field->wire_type == WIRE_VARINT) {
        *bits = field->bits;
        return 1;
    }
    if (is_varint)
        return field->wire_type == WIRE_RUN && short_varint(&at, field->end, bits) && at == field->end;
    if (field->wire_type != WIRE_RUN && field->wire_type != (size == 8 ? WIRE_FIXED64 : WIRE_FIXED32)) return 0;
    if ((uint64_t)(field->end - at) != size) return 0;
    memcpy(bits, at, size);
    return 1;
}

static inline int tensor_number(const uint8_t *at, const uint8_t *end, double *number) {
    WireField field = NO_FIELD, numbers = NO_FIELD;
    uint64_t dtype = 0, seen = 0, size = 0, bits = 0;
    while (at < end) {
        if (!next_field(&at, end, &field) || field.number > 13) return 0;
        if (seen >> field.number & 1) return 0;
        seen |= (uint64_t)1 << field.number;
        if (field.number == 1 && field.wire_type == WIRE_VARINT) {
            dtype = field.bits;
        } else if (field.number == 2) {
            if (field.wire_type != WIRE_RUN || field.at != field.end) return 0;
        } else if (field.number != 3 || field.wire_type != WIRE_VARINT) {
            if (numbers.number) return 0;
            numbers = field;
        }
    }
    uint64_t list = list_of(dtype, &size);
    if (list == 0) return 0;
    if (numbers.number == 4) {
        if (numbers.wire_type != WIRE_RUN || (uint64_t)(numbers.end - numbers.at) != size) return 0;
        memcpy(&bits, numbers.at, size);
    } else if (numbers.number && (numbers.number != list || !listed_bits(&numbers, dtype, size, &bits))) {
        return 0;
    }
    if (dtype == DTYPE_HALF && bits > 0xFFFF) return 0; /* float32 bits: PyTorch writes halves this way */
    *number = number_of(dtype, bits);
    return 1;
}

/* The scalar in an encoded Summary.Value of the plugin "scalars"; returns 0 for forms that the Python rule handles. */
static int scalar_tensor(const uint8_t *at, const uint8_t *end, double *scalar) {
    WireField field = NO_FIELD;
    double number = 0;
    int tensors = 0;
    while (at < end) {
        if (!next_field(&at, end, &field) || field.wire_type != WIRE_RUN) return 0;
        if (field.number == 8) {
            if (tensors++ || !tensor_number(field.at, field.end, &number)) return 0;
        } else if (field.number == 9) {
            if (!is_plain_metadata(field.at, field.end)) return 0;
        } else if (field.number != 1 && field.number != 7) {
            return 0;
        }
    }
    *scalar = number;
    return tensors == 1;
}
#endif
