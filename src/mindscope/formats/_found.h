/* SPDX-License-Identifier: Apache-2.0
 * Contents of the events of one file: scalar rows, references to other values, and records that are not events. */
#ifndef MINDSCOPE_FOUND_H
#define MINDSCOPE_FOUND_H

#include "_dialects.h"
#include "_tags.h"

/* Number ranges of references; numbers below 1000 are fields of Summary.Value. */
enum { EVENT_FIELD = 1000, BROKEN_METADATA = 1999, METADATA_KIND = 2000 };
enum { NO_TAG = -1 };

/* The kind of a tag; any other number above 0 is also a kind. */
enum { KIND_UNKNOWN = 0, KIND_SCALAR = 1, KIND_BROKEN = -1, KIND_FAILED = -2 };

/* The outcome of taking one part of an event. */
enum { TAKEN = 0, BREAKS_ENCODING = 1, FOR_CALLER = 2, NO_MEMORY = -1 };

/* Returns the kind of a tag from its metadata, which may be NULL; KIND_FAILED if the callback raises. */
typedef int32_t (*AskKind)(void *asker, int32_t tag, const uint8_t *metadata, size_t length);

typedef struct {
    Dialect dialect;
    Tags tags;
    Scalars scalars;
    References references;
    Column pushed;                 /* int32_t: tags that got scalars from the current event */
    Column odd_offset, odd_length; /* int64_t: payloads that break the encoding */
    int32_t batch;                 /* incremented each time the caller takes the references; starts at 1 */
    int32_t kinds_version;         /* incremented with ``batch``, and for each new kind */
    AskKind ask;
    void *asker;
} Found;

typedef struct {
    int64_t step;
    double wall_time;
} Stamp;

/* Start another file; keeps allocated memory for reuse. */
static void found_start(Found *found, const Dialect *dialect, AskKind ask, void *asker) {
    found->dialect = *dialect;
    tags_forget(&found->tags);
    found->tags.scalar_key = (uint8_t)(dialect->scalar_field << 3 | WIRE_FIXED32);
    scalars_forget(&found->scalars);
    references_cut(&found->references, 0);
    found->pushed.length = found->odd_offset.length = found->odd_length.length = 0;
    found->batch = found->kinds_version = 1;
    found->ask = ask;
    found->asker = asker;
}

static void found_free(Found *found) {
    tags_free(&found->tags);
    references_free(&found->references);
    column_free(&found->pushed);
    column_free(&found->odd_offset);
    column_free(&found->odd_length);
}

static int refer(Found *found, int32_t tag, int32_t number, Stamp stamp, int64_t offset, int64_t length) {
    int is_pushed = references_push(&found->references, tag, number, stamp.step, stamp.wall_time, offset, length);
    return is_pushed ? TAKEN : NO_MEMORY;
}

static int push_scalar(Found *found, int32_t tag, Stamp stamp, double value) {
    if (!column_push(&found->pushed, &tag, sizeof(tag))) return NO_MEMORY;
    if (rows_push_exact(&tags_rows(&found->tags)[tag], stamp.step, stamp.wall_time, value)) return TAKEN;
    found->pushed.length--; /* the row was not pushed, so take_back() must not remove it */
    return NO_MEMORY;
}

/* Remove the scalars of the current event. */
static void take_back(Found *found) {
    const int32_t *pushed = (const int32_t *)found->pushed.data;
    for (size_t index = 0; index < found->pushed.length; index++) rows_pop(&tags_rows(&found->tags)[pushed[index]]);
    found->pushed.length = 0;
}
#endif
