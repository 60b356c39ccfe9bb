/* SPDX-License-Identifier: Apache-2.0
 * Growable columns in plain C: items of one size, stored contiguously, usable without the interpreter lock. */
#ifndef MINDSCOPE_COLUMNS_H
#define MINDSCOPE_COLUMNS_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint8_t *data;
    size_t length, capacity; /* in items */
} Column;

/* Append ``count`` items of ``size`` bytes each; returns 0 if memory allocation fails. */
static inline int column_append(Column *column, const void *items, size_t count, size_t size) {
    if (column->capacity - column->length < count) {
        size_t capacity = column->capacity ? column->capacity : 1024;
        while (capacity < column->length + count || capacity == column->capacity) capacity *= 2;
        uint8_t *grown = (uint8_t *)realloc(column->data, capacity * size);
        if (grown == NULL) return 0;
        column->data = grown;
        column->capacity = capacity;
    }
    if (count) memcpy(column->data + column->length * size, items, count * size);
    column->length += count;
    return 1;
}

static inline int column_push(Column *column, const void *item, size_t size) {
    return column_append(column, item, 1, size);
}

static inline void column_free(Column *column) {
    free(column->data);
    memset(column, 0, sizeof(*column));
}

/* References to values that stay in the file, in file order. */
typedef struct {
    Column tag, number;           /* int32_t */
    Column step, offset, length;  /* int64_t */
    Column wall_time;             /* double */
} References;

static inline int references_push(References *references, int32_t tag, int32_t number, int64_t step, double wall_time,
                                  int64_t offset, int64_t length) {
    return column_push(&references->tag, &tag, 4) && column_push(&references->number, &number, 4) &&
           column_push(&references->step, &step, 8) && column_push(&references->wall_time, &wall_time, 8) &&
           column_push(&references->offset, &offset, 8) && column_push(&references->length, &length, 8);
}

/* Keep the first ``count``. */
static inline void references_cut(References *references, size_t count) {
    references->tag.length = references->number.length = references->step.length = count;
    references->wall_time.length = references->offset.length = references->length.length = count;
}

static inline void references_free(References *references) {
    column_free(&references->tag);
    column_free(&references->number);
    column_free(&references->step);
    column_free(&references->wall_time);
    column_free(&references->offset);
    column_free(&references->length);
}
#endif
