/* SPDX-License-Identifier: Apache-2.0
 * The fields of an event in each dialect. The schema tables name them. */
#ifndef MINDSCOPE_DIALECTS_H
#define MINDSCOPE_DIALECTS_H

#include <stdint.h>

enum { TENSOR_FIELD = 8 }; /* of TensorBoard's Summary.Value */

typedef struct {
    int summary_field; /* of the event; 0 if the dialect has none */
    int scalar_field;  /* of Summary.Value */
    int exact_field;   /* of Summary.Value: the same scalar as float64; 0 if the dialect has none */
    int has_metadata;  /* 1 if Summary.Value.metadata gives the kind of a tensor */
    uint64_t value_fields; /* bit per field of Summary.Value that the store keeps as a reference */
    uint64_t event_fields; /* bit per field of the event that the store keeps as a reference */
    uint64_t caller_fields; /* bit per field of an event that the caller reads, between the values before and after it */
} Dialect;

static const Dialect DIALECT_MINDSPORE = {5, 3, 1001, 0, 1 << 4 | 1 << 8 | 1 << 9 | 1 << 10 | 1 << 30 | 1ull << 31,
                                          1 << 4 | 1 << 6, 0};
static const Dialect DIALECT_LINEAGE = {0, 3, 0, 0, 0, 1 << 6 | 1 << 7 | 1 << 9 | 1 << 10, 0};
static const Dialect DIALECT_TENSORBOARD = {5, 2, 0, 1, 1 << 3 | 1 << 4 | 1 << 5 | 1 << 6 | 1 << 8,
                                            1 << 4 | 1 << 6 | 1 << 8 | 1 << 9, 1 << 7};
#endif
