/* SPDX-License-Identifier: Apache-2.0
 * Maps tags to numbers in the order of first occurrence, and keeps the form, rows and kind of each tag. */
#ifndef MINDSCOPE_TAGS_H
#define MINDSCOPE_TAGS_H

#include "_columns.h"
#include "_scalars.h"

enum {
    SPARE_ROWS = 524288, /* kept for the next file, 12 bytes each: page faults cost more than filling the rows */
    SPARE_TAGS = 65536
};

/* The kind of a tag, from metadata. */
typedef struct {
    int32_t kind;       /* 0 while unknown */
    int32_t asked_at;   /* ``Found.kinds_version`` at the last call of ``ask`` */
    int32_t unusual_in; /* ``Found.batch`` in which a scalar had an unusual form */
} TagKind;

typedef struct {
    int32_t *slots;     /* open addressing, -1 is empty */
    size_t slot_count;  /* a power of two */
    Column starts;      /* size_t: where each tag begins in bytes; one more entry at the end */
    Column bytes;       /* uint8_t */
    Column hashes;      /* uint64_t */
    Column following;   /* int32_t: the tag that came after this one last time; a training repeats its order */
    Column forms;       /* uint8_t: the bytes before the number in a value of a tag, see _scalars.h */
    Column form_starts; /* size_t: where each form begins; one more entry at the end */
    Column rows;        /* ScalarRows */
    Column kinds;       /* TagKind */
    Column spare;       /* ScalarRows without rows; new tags reuse their memory */
    size_t spare_rows;  /* total capacity of ``spare``, in rows */
    uint8_t scalar_key; /* wire key of the scalar field of a value */
    int32_t count;
    int32_t last;
} Tags;

static inline ScalarRows *tags_rows(const Tags *tags) { return (ScalarRows *)tags->rows.data; }

static inline uint64_t tag_hash(const uint8_t *text, size_t length) {
    uint64_t value = 0x9E3779B97F4A7C15u ^ length, word;
    for (; length >= 8; text += 8, length -= 8) {
        memcpy(&word, text, 8);
        value = (value ^ word) * 0xFF51AFD7ED558CCDu;
        value ^= value >> 32;
    }
    for (; length; text++, length--) {
        value = (value ^ *text) * 0xC4CEB9FE1A85EC53u;
        value ^= value >> 29;
    }
    return value;
}

static inline int tags_is(const Tags *tags, int32_t tag, const uint8_t *text, size_t length) {
    const size_t *starts = (const size_t *)tags->starts.data;
    if (starts[tag + 1] - starts[tag] != length) return 0;
    return length == 0 || memcmp(tags->bytes.data + starts[tag], text, length) == 0; /* bytes.data may still be NULL */
}

static int tags_grow_slots(Tags *tags) {
    size_t count = tags->slot_count ? tags->slot_count * 4 : 256;
    const uint64_t *hashes = (const uint64_t *)tags->hashes.data;
    int32_t *slots = (int32_t *)malloc(count * sizeof(int32_t));
    if (slots == NULL) return 0;
    for (size_t slot = 0; slot < count; slot++) slots[slot] = -1;
    for (int32_t tag = 0; tag < tags->count; tag++) {
        size_t slot = hashes[tag] & (count - 1);
        while (slots[slot] >= 0) slot = (slot + 1) & (count - 1);
        slots[slot] = tag;
    }
    free(tags->slots);
    tags->slots = slots;
    tags->slot_count = count;
    return 1;
}

static int push_varint(Column *column, uint64_t value) {
    uint8_t bytes[10];
    size_t length = 0;
    for (; value >= 0x80; value >>= 7) bytes[length++] = (uint8_t)(value | 0x80);
    bytes[length++] = (uint8_t)value;
    return column_append(column, bytes, length, 1);
}

static int tags_push_form(Tags *tags, const uint8_t *text, size_t length) {
    const uint8_t key = 0x0A;
    size_t length_size = 1;
    for (size_t rest = length; rest >= 0x80; rest >>= 7) length_size++;
    return column_push(&tags->forms, &key, 1) && push_varint(&tags->forms, 1 + length_size + length + 5) &&
           column_push(&tags->forms, &key, 1) && push_varint(&tags->forms, length) &&
           column_append(&tags->forms, text, length, 1) && column_push(&tags->forms, &tags->scalar_key, 1);
}

/* Rows for a new tag; reuses spare memory. */
static ScalarRows tags_take_spare(Tags *tags) {
    ScalarRows rows;
    memset(&rows, 0, sizeof(rows));
    if (tags->spare.length) {
        rows = ((ScalarRows *)tags->spare.data)[--tags->spare.length];
        tags->spare_rows -= rows.capacity;
    }
    return rows;
}

static int32_t tags_add(Tags *tags, const uint8_t *text, size_t length, uint64_t hash, size_t slot) {
    const size_t none = 0;
    int32_t tag = tags->count;
    TagKind kind = {0, 0, 0};
    if (tag == 0 && !(column_push(&tags->starts, &none, sizeof(size_t)) &&
                      column_push(&tags->form_starts, &none, sizeof(size_t))))
        return -1;
    if (!column_append(&tags->bytes, text, length, 1) || !tags_push_form(tags, text, length)) return -1;
    ScalarRows rows = tags_take_spare(tags);
    if (!column_push(&tags->rows, &rows, sizeof(rows))) {
        rows_free(&rows);
        return -1;
    }
    if (!column_push(&tags->starts, &tags->bytes.length, sizeof(size_t)) ||
        !column_push(&tags->form_starts, &tags->forms.length, sizeof(size_t)) ||
        !column_push(&tags->hashes, &hash, sizeof(hash)) || !column_push(&tags->following, &tag, sizeof(tag)) ||
        !column_push(&tags->kinds, &kind, sizeof(kind)))
        return -1;
    tags->slots[slot] = tag;
    tags->count++;
    if (tag > 0) ((int32_t *)tags->following.data)[tags->last] = tag;
    return tags->last = tag;
}

/* The number of a tag; assigns one to a new tag. Returns -1 if memory allocation fails. */
static int32_t tags_number(Tags *tags, const uint8_t *text, size_t length) {
    int32_t *following = (int32_t *)tags->following.data;
    if (tags->count && tags_is(tags, following[tags->last], text, length)) return tags->last = following[tags->last];
    if (tags->slot_count < ((size_t)tags->count + 1) * 2 && !tags_grow_slots(tags)) return -1;
    uint64_t hash = tag_hash(text, length);
    size_t slot = hash & (tags->slot_count - 1);
    for (; tags->slots[slot] >= 0; slot = (slot + 1) & (tags->slot_count - 1)) {
        int32_t tag = tags->slots[slot];
        if (((const uint64_t *)tags->hashes.data)[tag] == hash && tags_is(tags, tag, text, length)) {
            following[tags->last] = tag;
            return tags->last = tag;
        }
    }
    return tags_add(tags, text, length, hash, slot);
}

/* Remove all tags; keep their memory for reuse. */
static void tags_forget(Tags *tags) {
    for (size_t tag = 0; tag < tags->rows.length; tag++) {
        ScalarRows *rows = &tags_rows(tags)[tag];
        rows_empty(rows);
        if (tags->spare_rows + rows->capacity <= SPARE_ROWS && tags->spare.length < SPARE_TAGS &&
            column_push(&tags->spare, rows, sizeof(*rows)))
            tags->spare_rows += rows->capacity;
        else
            rows_free(rows);
    }
    tags->starts.length = tags->bytes.length = tags->hashes.length = tags->following.length = 0;
    tags->forms.length = tags->form_starts.length = tags->rows.length = tags->kinds.length = 0;
    tags->count = tags->last = 0;
    for (size_t slot = 0; slot < tags->slot_count; slot++) tags->slots[slot] = -1;
}

static void tags_free(Tags *tags) {
    tags_forget(tags);
    for (size_t spare = 0; spare < tags->spare.length; spare++) rows_free(&((ScalarRows *)tags->spare.data)[spare]);
    Column *columns[] = {&tags->starts, &tags->bytes,       &tags->hashes, &tags->following, &tags->forms,
                         &tags->form_starts, &tags->rows, &tags->kinds,  &tags->spare};
    for (size_t column = 0; column < sizeof(columns) / sizeof(*columns); column++) column_free(columns[column]);
    free(tags->slots);
}

/* Pass all tags to the scalar loop; their memory may have moved. */
static inline void tags_show(const Tags *tags, Scalars *scalars) {
    scalars->rows = tags_rows(tags);
    scalars->forms = tags->forms.data;
    scalars->form_starts = (const size_t *)tags->form_starts.data;
    scalars->following = (const int32_t *)tags->following.data;
    scalars->tag_count = tags->count;
    scalars->last = tags->last;
}
#endif
