/* SPDX-License-Identifier: Apache-2.0
 * Rows of one tag in file order. The steps take no memory while they are an arithmetic progression. */
#ifndef MINDSCOPE_ROWS_H
#define MINDSCOPE_ROWS_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    int64_t *steps; /* NULL while they are first, first + stride, ... */
    double *wall_times;
    float *values;
    double *wide; /* all values as float64, once one of them does not fit float32; else NULL */
    int64_t first, stride;
    int64_t next; /* the next step of the progression; valid from two rows on */
    size_t count, capacity;
} ScalarRows;

#define LARGEST_STRIDE ((int64_t)1 << 31)
#define LARGEST_FIRST ((int64_t)1 << 61)

static int rows_grow(ScalarRows *rows) {
    size_t capacity = rows->capacity ? rows->capacity * 2 : 16;
    double *wall_times = (double *)realloc(rows->wall_times, capacity * sizeof(double));
    if (wall_times == NULL) return 0;
    rows->wall_times = wall_times;
    float *values = (float *)realloc(rows->values, capacity * sizeof(float));
    if (values == NULL) return 0;
    rows->values = values;
    if (rows->wide != NULL) {
        double *wide = (double *)realloc(rows->wide, capacity * sizeof(double));
        if (wide == NULL) return 0;
        rows->wide = wide;
    }
    if (rows->steps != NULL) {
        int64_t *steps = (int64_t *)realloc(rows->steps, capacity * sizeof(int64_t));
        if (steps == NULL) return 0;
        rows->steps = steps;
    }
    rows->capacity = capacity;
    return 1;
}

static int64_t rows_step(const ScalarRows *rows, size_t row) {
    return rows->steps != NULL ? rows->steps[row] : rows->first + (int64_t)row * rows->stride;
}

/* Handle a step that does not continue the progression: start a progression, or store all steps. */
static int rows_note_step(ScalarRows *rows, int64_t step) {
    if (rows->count == 0) {
        rows->first = step;
        rows->stride = 0;
        return 1;
    }
    if (rows->count == 1 && rows->first > -LARGEST_FIRST && rows->first < LARGEST_FIRST && step > rows->first &&
        step < LARGEST_FIRST && step - rows->first < LARGEST_STRIDE) {
        rows->stride = step - rows->first;
        rows->next = step + rows->stride;
        return 1;
    }
    int64_t *steps = (int64_t *)malloc(rows->capacity * sizeof(int64_t));
    if (steps == NULL) return 0;
    for (size_t row = 0; row < rows->count; row++) steps[row] = rows_step(rows, row);
    steps[rows->count] = step;
    rows->steps = steps;
    return 1;
}

static inline int rows_push(ScalarRows *rows, int64_t step, double wall_time, float value) {
    size_t row = rows->count;
    if (row == rows->capacity && !rows_grow(rows)) return 0;
    if (rows->steps != NULL)
        rows->steps[row] = step;
    else if (row >= 2 && step == rows->next)
        rows->next += rows->stride;
    else if (!rows_note_step(rows, step))
        return 0;
    rows->wall_times[row] = wall_time;
    rows->values[row] = value;
    if (rows->wide != NULL) rows->wide[row] = value;
    rows->count = row + 1;
    return 1;
}

static int rows_widen(ScalarRows *rows) {
    double *wide = (double *)malloc(rows->capacity * sizeof(double));
    if (wide == NULL) return 0;
    for (size_t row = 0; row < rows->count; row++) wide[row] = rows->values[row];
    rows->wide = wide;
    return 1;
}

/* Whether float32 holds ``value`` exactly, or ``value`` is NaN. */
static inline int is_float32(double value) { return (double)(float)value == value || value != value; }

/* Like rows_push, for a value that may not fit float32. */
static inline int rows_push_exact(ScalarRows *rows, int64_t step, double wall_time, double value) {
    if (!rows_push(rows, step, wall_time, (float)value)) return 0;
    if (is_float32(value)) return 1;
    if (rows->wide == NULL && !rows_widen(rows)) return 0;
    rows->wide[rows->count - 1] = value;
    return 1;
}

static inline void rows_pop(ScalarRows *rows) {
    rows->count--;
    if (rows->steps == NULL && rows->count >= 2) rows->next -= rows->stride;
}

enum {
    SHORT_ROWS = 256,   /* below this count, return steps as a column even if they are a progression */
    LONG_ROWS = 1048576 /* above this count too: a shared column of steps would take the same memory */
};

/* Whether to return the steps as a column, not as a progression. */
static inline int rows_have_steps(const ScalarRows *rows) {
    return rows->steps != NULL || rows->count < SHORT_ROWS || rows->count > LONG_ROWS;
}

/* Copy the rows into columns; ``steps`` may be NULL. ``values`` is float64 if the rows are wide, else float32. */
static void rows_copy(const ScalarRows *rows, int64_t *steps, double *wall_times, void *values) {
    memcpy(wall_times, rows->wall_times, rows->count * sizeof(double));
    if (rows->wide != NULL)
        memcpy(values, rows->wide, rows->count * sizeof(double));
    else
        memcpy(values, rows->values, rows->count * sizeof(float));
    for (size_t row = 0; steps != NULL && row < rows->count; row++) steps[row] = rows_step(rows, row);
}

/* Remove the rows, keep their memory. */
static void rows_empty(ScalarRows *rows) {
    free(rows->steps);
    free(rows->wide);
    rows->steps = NULL;
    rows->wide = NULL;
    rows->count = 0;
}

static void rows_free(ScalarRows *rows) {
    free(rows->steps);
    free(rows->wide);
    free(rows->wall_times);
    free(rows->values);
    memset(rows, 0, sizeof(*rows));
}
#endif
