/* SPDX-License-Identifier: Apache-2.0
 * Converts events of any form to scalar rows and value references. ``mindspore.locate`` and ``tensorboard.locate``
 * define the rules in readable form:
 *
 *     Event          1 wall time   2 step   Summary   some other fields, kept by reference
 *     Summary        1 Value, any number of them
 *     Value          1 tag   9 metadata   and one field with its data: a scalar, or anything else, kept by reference
 *
 * The loop of _scalars.h reads records of a known form; those records do not reach this code. */
#ifndef MINDSCOPE_EVENTS_H
#define MINDSCOPE_EVENTS_H

#include "_found.h"
#include "_scalar_tensors.h"

static int32_t ask_kind(Found *found, int32_t tag, const WireField *metadata) {
    int32_t kind = found->ask(found->asker, tag, metadata->at, (size_t)(metadata->end - metadata->at));
    TagKind *known = &((TagKind *)found->tags.kinds.data)[tag];
    if (kind == KIND_FAILED) return kind;
    if (kind > KIND_UNKNOWN) {
        known->kind = kind;
        found->kinds_version++; /* a new kind may decide the kind of other tags: query their kinds again */
    }
    known->asked_at = found->kinds_version;
    return kind;
}

/* Take a value whose kind comes from the metadata of its tag. ``offset`` is the file offset of ``value``. */
static int take_by_kind(Found *found, int32_t tag, int32_t number, const WireField *metadata, const uint8_t *value,
                        const uint8_t *end, int64_t offset, Stamp stamp) {
    TagKind *known = &((TagKind *)found->tags.kinds.data)[tag];
    int32_t kind = known->kind;
    double scalar = 0;
    if (kind == KIND_UNKNOWN && (metadata->at != NULL || known->asked_at != found->kinds_version)) {
        kind = ask_kind(found, tag, metadata);
        if (kind == KIND_FAILED) return NO_MEMORY;
        if (kind == KIND_BROKEN && refer(found, tag, BROKEN_METADATA, stamp, offset, end - value)) return NO_MEMORY;
    }
    if (kind == KIND_SCALAR && known->unusual_in != found->batch) {
        if (scalar_tensor(value, end, &scalar)) return push_scalar(found, tag, stamp, scalar);
        known->unusual_in = found->batch; /* later rows must keep their order after this one */
    }
    if (kind > KIND_UNKNOWN) return refer(found, tag, METADATA_KIND + kind, stamp, offset, end - value);
    return number ? refer(found, tag, number, stamp, offset, end - value) : TAKEN;
}

static int take_value(Found *found, const uint8_t *value, const uint8_t *end, int64_t offset, Stamp stamp) {
    const Dialect *dialect = &found->dialect;
    const uint8_t *at = value;
    WireField field = NO_FIELD, text = NO_FIELD, metadata = NO_FIELD;
    int32_t number = 0, tag;
    int is_float = 0, has_exact = 0;
    double scalar = 0, exact = 0;
    text.at = text.end = value;
    while (at < end) {
        if (!next_field(&at, end, &field)) return BREAKS_ENCODING;
        if (field.number == 1 && field.wire_type == WIRE_RUN) {
            text = field;
        } else if (field.number == 9 && field.wire_type == WIRE_RUN && dialect->has_metadata) {
            metadata = field;
        } else if (field.number == (uint64_t)dialect->scalar_field) {
            number = dialect->scalar_field;
            is_float = is_fixed(&field);
            if (is_float) scalar = fixed_number(&field);
        } else if (field.number == (uint64_t)dialect->exact_field && field.wire_type == WIRE_FIXED64) {
            exact = fixed_number(&field);
            has_exact = 1;
        } else if (field.number < 64 && dialect->value_fields >> field.number & 1) {
            number = (int32_t)field.number;
        }
    }
    if (number == 0 && metadata.at == NULL) return TAKEN;
    if (number == dialect->scalar_field && !is_float) return BREAKS_ENCODING;
    tag = tags_number(&found->tags, text.at, (size_t)(text.end - text.at));
    if (tag < 0) return NO_MEMORY;
    if (number == dialect->scalar_field)
        return push_scalar(found, tag, stamp, has_exact && (float)exact == (float)scalar ? exact : scalar);
    if (dialect->has_metadata && (number == 0 || number == TENSOR_FIELD))
        return take_by_kind(found, tag, number, &metadata, value, end, offset, stamp);
    return refer(found, tag, number, stamp, offset, end - value);
}

static int take_summary(Found *found, const WireField *summary, int64_t offset, Stamp stamp) {
    const uint8_t *at = summary->at;
    WireField field = NO_FIELD;
    if (!are_fields(at, summary->end)) return BREAKS_ENCODING; /* a broken summary defines no kinds */
    while (at < summary->end && next_field(&at, summary->end, &field)) {
        if (field.number != 1 || field.wire_type != WIRE_RUN) continue;
        int outcome = take_value(found, field.at, field.end, offset + (field.at - summary->at), stamp);
        if (outcome != TAKEN) return outcome;
    }
    return TAKEN;
}

/* ``offset`` is the file offset of ``payload``. */
static int take_event(Found *found, const uint8_t *payload, const uint8_t *end, int64_t offset) {
    const uint8_t *at = payload;
    WireField field = NO_FIELD;
    Stamp stamp = {0, 0.0};
    int has_values = 0;
    while (at < end) {
        if (!next_field(&at, end, &field)) return BREAKS_ENCODING;
        if (field.number == 1 && is_fixed(&field))
            stamp.wall_time = fixed_number(&field);
        else if (field.number == 2 && field.wire_type == WIRE_VARINT)
            stamp.step = (int64_t)field.bits;
        else if (field.wire_type == WIRE_RUN)
            has_values = 1;
    }
    at = payload;
    while (has_values && at < end && next_field(&at, end, &field)) {
        int outcome = TAKEN;
        if (field.wire_type != WIRE_RUN || field.number > 63) continue;
        if (found->dialect.caller_fields >> field.number & 1) return FOR_CALLER;
        if (field.number == (uint64_t)found->dialect.summary_field)
            outcome = take_summary(found, &field, offset + (field.at - payload), stamp);
        else if (found->dialect.event_fields >> field.number & 1)
            outcome = refer(found, NO_TAG, EVENT_FIELD + (int32_t)field.number, stamp, offset + (field.at - payload),
                            field.end - field.at);
        if (outcome != TAKEN) return outcome;
    }
    if (found->pushed.length) scalars_note(&found->scalars, stamp.step, stamp.wall_time);
    return TAKEN;
}

/* Take one record, completely or not at all; returns 0 if memory allocation fails. */
static int events_take(Found *found, const uint8_t *payload, uint64_t length, int64_t offset) {
    size_t references = found->references.tag.length;
    int64_t length64 = (int64_t)length;
    found->pushed.length = 0;
    int outcome = take_event(found, payload, payload + length, offset);
    found->scalars.records++;
    if (outcome == TAKEN) return 1;
    references_cut(&found->references, references);
    take_back(found);
    if (outcome == NO_MEMORY) return 0;
    return column_push(&found->odd_offset, &offset, 8) && column_push(&found->odd_length, &length64, 8);
}

/* Take the intact records from ``*position`` on and move ``*position`` past them; byte 0 of ``data`` is byte ``base``
 * of the file. Stops like ``scalars_scan``, and with SCALARS_OTHER after a record that the
 * caller must read: one that breaks the encoding or has a field of ``caller_fields``. */
static int events_scan(Found *found, const uint8_t *data, size_t end, int64_t base, size_t *position,
                       uint64_t *length) {
    int status = SCALARS_OTHER;
    while (status == SCALARS_OTHER && found->odd_offset.length == 0) {
        tags_show(&found->tags, &found->scalars);
        status = scalars_scan(&found->scalars, data, end, position, length);
        found->tags.last = found->scalars.last;
        if (status != SCALARS_OTHER) break;
        size_t payload = *position + RECORD_HEADER;
        if (!events_take(found, data + payload, *length, base + (int64_t)payload)) status = SCALARS_NO_MEMORY;
        *position = payload + *length + RECORD_FOOTER;
    }
    return status;
}
#endif
