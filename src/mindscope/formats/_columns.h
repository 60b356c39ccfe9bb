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
} Places;

static inline int places_push(Places *places, int32_t tag, int32_t number, int64_t step, double wall_time, int64_t offset,
                              int64_t length) {
    return column_push(&places->tag, &tag, 4) && column_push(&places->number, &number, 4) &&
           column_push(&places->step, &step, 8) && column_push(&places->wall_time, &wall_time, 8) &&
           column_push(&places->offset, &offset, 8) && column_push(&places->length, &length, 8);
}

/* Keep the first ``count``. */
static inline void places_cut(Places *places, size_t count) {
    places->tag.length = places->number.length = places->step.length = count;
    places->wall_time.length = places->offset.length = places->length.length = count;
}

static inline void places_free(Places *places) {
    column_free(&places->tag);
    column_free(&places->number);
    column_free(&places->step);
    column_free(&places->wall_time);
    column_free(&places->offset);
    column_free(&places->length);
}
#endif
