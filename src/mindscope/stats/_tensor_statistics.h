/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics of an array in one pass over its memory, a block that fits the first cache at a time.

   Floats of 16 and 32 bits become blocks of float32. A block whose magnitudes are all finite takes the fast loops, which
   work on eight numbers at a time; any other block is read number by number. Vectors are those of the compiler, so that
   it makes versions for several processors where it can. */
#ifndef MINDSCOPE_TENSOR_STATISTICS_H
#define MINDSCOPE_TENSOR_STATISTICS_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && __GNUC__ >= 12 && !defined(__clang__)
#define MS_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define MS_CLONES
#endif

#define MS_BLOCK 1024
#define MS_LANES 8
#define MS_INF 0x7f800000u
#define MS_MAGNITUDE 0x7fffffffu

typedef struct {
    int64_t count, nan, positive_inf, negative_inf, zero, below, above, near_max, subnormal;
    double min, max, sum, sum_abs, sum_squares;
    uint64_t hash; /* of the memory */
} MsStatistics;

enum { MS_FLOAT32, MS_FLOAT64, MS_FLOAT16, MS_BFLOAT16, MS_INT16, MS_INT32, MS_INT64, MS_UINT16, MS_UINT32, MS_UINT64 };

typedef float ms_v8f __attribute__((vector_size(32)));
typedef int32_t ms_v8i __attribute__((vector_size(32)));
typedef float ms_v4f __attribute__((vector_size(16)));
typedef int64_t ms_v4l __attribute__((vector_size(32)));
typedef double ms_v4d __attribute__((vector_size(32)));

static void ms_start(MsStatistics *found, int64_t count) {
    memset(found, 0, sizeof *found);
    found->count = count;
    found->min = INFINITY;
    found->max = -INFINITY;
}

/* One number that may be anything. */
static inline void ms_add(MsStatistics *found, double value, double near_max, double tiny) {
    double magnitude = fabs(value);
    if (isnan(value)) {
        found->nan++;
    } else if (isinf(value)) {
        if (value > 0) found->positive_inf++;
        else found->negative_inf++;
    } else {
        found->zero += value == 0;
        found->below += value < 0;
        found->above += value > 0;
        found->near_max += magnitude >= near_max;
        found->subnormal += magnitude > 0 && magnitude < tiny;
        if (value < found->min) found->min = value;
        if (value > found->max) found->max = value;
        found->sum += value;
        found->sum_abs += magnitude;
        found->sum_squares += value * value;
    }
}

/* The largest magnitude of a block, and the smallest other than zero minus one, as bits. */
MS_CLONES static void ms_reach(const uint32_t *bits, int64_t count, uint32_t *largest, uint32_t *smallest) {
    uint32_t most = 0, least = UINT32_MAX;
    for (int64_t place = 0; place < count; place++) {
        uint32_t magnitude = bits[place] & MS_MAGNITUDE, lowered = magnitude - 1;
        most = magnitude > most ? magnitude : most;
        least = lowered < least ? lowered : least;
    }
    *largest = most;
    *smallest = least;
}

/* Count and sums of finite numbers; count is a multiple of eight. */
MS_CLONES static void ms_finite(MsStatistics *found, const float *block, int64_t count) {
    ms_v8f zero = {0}, low, high;
    ms_v8i below = {0}, nil = {0}, low_bits, high_bits;
    ms_v4d sum = {0}, sum_abs = {0}, squares = {0}, sum2 = {0}, sum_abs2 = {0}, squares2 = {0};
    memcpy(&low, block, sizeof low);
    high = low;
    for (int64_t place = 0; place < count; place += MS_LANES) {
        ms_v8f x;
        ms_v8i is_lower, is_higher, bits;
        ms_v4f half, other;
        ms_v4d a, b;
        memcpy(&x, block + place, sizeof x);
        memcpy(&half, block + place, sizeof half);
        memcpy(&other, block + place + MS_LANES / 2, sizeof other);
        bits = (ms_v8i)x;
        below -= x < zero;
        nil -= x == zero;
        is_lower = x < low;
        is_higher = x > high;
        low_bits = (bits & is_lower) | ((ms_v8i)low & ~is_lower);
        high_bits = (bits & is_higher) | ((ms_v8i)high & ~is_higher);
        low = (ms_v8f)low_bits;
        high = (ms_v8f)high_bits;
        a = __builtin_convertvector(half, ms_v4d);
        b = __builtin_convertvector(other, ms_v4d);
        sum += a;
        sum2 += b;
        squares += a * a;
        squares2 += b * b;
        sum_abs += (ms_v4d)((ms_v4l)a & INT64_MAX);
        sum_abs2 += (ms_v4d)((ms_v4l)b & INT64_MAX);
    }
    sum += sum2;
    sum_abs += sum_abs2;
    squares += squares2;
    int64_t lower = 0, zeros = 0;
    for (int lane = 0; lane < MS_LANES; lane++) {
        lower += below[lane];
        zeros += nil[lane];
        if (low[lane] < found->min) found->min = low[lane];
        if (high[lane] > found->max) found->max = high[lane];
    }
    found->below += lower;
    found->zero += zeros;
    found->above += count - lower - zeros;
    found->sum += (sum[0] + sum[1]) + (sum[2] + sum[3]);
    found->sum_abs += (sum_abs[0] + sum_abs[1]) + (sum_abs[2] + sum_abs[3]);
    found->sum_squares += (squares[0] + squares[1]) + (squares[2] + squares[3]);
}

static float ms_float(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* A block of float32; near_max and tiny are bits of float32. */
static void ms_block(MsStatistics *found, const uint32_t *bits, int64_t count, uint32_t near_max, uint32_t tiny) {
    uint32_t largest, smallest;
    int64_t whole = count - count % MS_LANES, place;
    ms_reach(bits, count, &largest, &smallest);
    if (largest >= MS_INF) whole = 0;
    if (whole) ms_finite(found, (const float *)bits, whole);
    if (whole && (largest >= near_max || smallest < tiny - 1)) {
        for (place = 0; place < whole; place++) {
            uint32_t magnitude = bits[place] & MS_MAGNITUDE;
            found->near_max += magnitude >= near_max;
            found->subnormal += magnitude - 1 < tiny - 1;
        }
    }
    for (place = whole; place < count; place++)
        ms_add(found, ms_float(bits[place]), ms_float(near_max), ms_float(tiny));
}

MS_CLONES static void ms_from_bfloat16(const uint16_t *from, uint32_t *to, int64_t count) {
    for (int64_t place = 0; place < count; place++) to[place] = (uint32_t)from[place] << 16;
}

/* Exact, also for subnormal numbers: a product with 2**112 moves the exponent from one bias to the other. */
MS_CLONES static void ms_from_float16(const uint16_t *from, uint32_t *to, int64_t count) {
    for (int64_t place = 0; place < count; place++) {
        uint32_t half = from[place], magnitude = half & 0x7fff, shifted = magnitude << 13, moved;
        float value;
        memcpy(&value, &shifted, sizeof value);
        value *= 5.192296858534828e33f;
        memcpy(&moved, &value, sizeof moved);
        moved |= magnitude >= 0x7c00 ? MS_INF : 0;
        to[place] = moved | (half & 0x8000) << 16;
    }
}

/* The bits of count numbers of a kind of at most 32 bits as float32: those of float32 as they are. */
static const uint32_t *ms_narrow(const char *data, int kind, int64_t first, int64_t count, uint32_t *block) {
    if (kind == MS_FLOAT32) {
        memcpy(block, data + 4 * first, 4 * (size_t)count); /* numbers may not be aligned */
    } else if (kind == MS_BFLOAT16) {
        ms_from_bfloat16((const uint16_t *)data + first, block, count);
    } else {
        ms_from_float16((const uint16_t *)data + first, block, count);
    }
    return block;
}

static double ms_wide(const char *data, int kind, int64_t place) {
    switch (kind) {
        case MS_INT16: return ((const int16_t *)data)[place];
        case MS_INT32: return ((const int32_t *)data)[place];
        case MS_INT64: return (double)((const int64_t *)data)[place];
        case MS_UINT16: return ((const uint16_t *)data)[place];
        case MS_UINT32: return ((const uint32_t *)data)[place];
        case MS_UINT64: return (double)((const uint64_t *)data)[place];
        default: return ((const double *)data)[place];
    }
}

/* A sum over the memory as words of 64 bits, the last one filled up with zeros: the product of both halves of a word, each
   plus a key that depends on its place. Source: NH, in "UMAC: Fast and Secure Message Authentication" (1999). */
MS_CLONES static uint64_t ms_hash(const char *data, int64_t bytes) {
    int64_t words = bytes / 8, rest = bytes % 8;
    uint64_t sum = 0, word = 0;
    for (int64_t place = 0; place < words; place++) {
        uint32_t key = (uint32_t)place * 0x9E3779B1u, low, high;
        memcpy(&word, data + 8 * place, 8);
        low = (uint32_t)word + key;
        high = (uint32_t)(word >> 32) + (key ^ 0x85EBCA77u);
        sum += (uint64_t)low * high;
    }
    if (rest) {
        uint32_t key = (uint32_t)words * 0x9E3779B1u;
        word = 0;
        memcpy(&word, data + 8 * words, (size_t)rest);
        sum += (uint64_t)((uint32_t)word + key) * (uint32_t)((uint32_t)(word >> 32) + (key ^ 0x85EBCA77u));
    }
    return sum;
}

static int64_t ms_size(int kind) {
    switch (kind) {
        case MS_FLOAT16: case MS_BFLOAT16: case MS_INT16: case MS_UINT16: return 2;
        case MS_FLOAT32: case MS_INT32: case MS_UINT32: return 4;
        default: return 8;
    }
}

static void ms_summarize(MsStatistics *found, const char *data, int kind, int64_t count) {
    uint32_t block[MS_BLOCK];
    uint32_t near_max = kind == MS_FLOAT32 ? 0x7effffffu : kind == MS_BFLOAT16 ? 0x7eff0000u : 0x46ffe000u;
    uint32_t tiny = kind == MS_FLOAT16 ? 0x38800000u : 0x00800000u;
    ms_start(found, count);
    if (kind == MS_FLOAT32 || kind == MS_FLOAT16 || kind == MS_BFLOAT16) {
        for (int64_t first = 0; first < count; first += MS_BLOCK) {
            int64_t size = count - first < MS_BLOCK ? count - first : MS_BLOCK;
            ms_block(found, ms_narrow(data, kind, first, size, block), size, near_max, tiny);
        }
    } else {
        double limit = kind == MS_FLOAT64 ? 8.98846567431157854e307 : INFINITY;
        double least = kind == MS_FLOAT64 ? 2.2250738585072014e-308 : 0;
        for (int64_t place = 0; place < count; place++) ms_add(found, ms_wide(data, kind, place), limit, least);
    }
    found->hash = ms_hash(data, count * ms_size(kind));
}

/* Numbers of one byte by a table of what each byte means. */
static void ms_summarize_bytes(
    MsStatistics *found, const uint8_t *data, int64_t count, const double *meaning, double near_max, double tiny
) {
    int64_t counts[4][256];
    memset(counts, 0, sizeof counts);
    ms_start(found, count);
    for (int64_t place = 0; place < count; place++) counts[place & 3][data[place]]++;
    for (int byte = 0; byte < 256; byte++) {
        int64_t times = counts[0][byte] + counts[1][byte] + counts[2][byte] + counts[3][byte];
        MsStatistics one;
        if (!times) continue;
        ms_start(&one, 0);
        ms_add(&one, meaning[byte], near_max, tiny);
        found->nan += times * one.nan;
        found->positive_inf += times * one.positive_inf;
        found->negative_inf += times * one.negative_inf;
        found->zero += times * one.zero;
        found->below += times * one.below;
        found->above += times * one.above;
        found->near_max += times * one.near_max;
        found->subnormal += times * one.subnormal;
        if (one.min < found->min) found->min = one.min;
        if (one.max > found->max) found->max = one.max;
        found->sum += (double)times * one.sum;
        found->sum_abs += (double)times * one.sum_abs;
        found->sum_squares += (double)times * one.sum_squares;
    }
    found->hash = ms_hash((const char *)data, count);
}

/* Sums of |now - before| and |before| over numbers whose difference is finite; count is a multiple of eight. */
MS_CLONES static int64_t ms_difference(const float *now, const float *before, int64_t count, double *sums) {
    ms_v4d moved = {0}, size = {0};
    ms_v8i finite = {0};
    int64_t known = 0;
    for (int64_t place = 0; place < count; place += MS_LANES) {
        ms_v8f x, y, difference;
        ms_v8i bits, old, is_finite;
        ms_v4f half, other;
        memcpy(&x, now + place, sizeof x);
        memcpy(&y, before + place, sizeof y);
        difference = x - y;
        bits = (ms_v8i)difference & (int32_t)MS_MAGNITUDE;
        is_finite = bits < (int32_t)MS_INF;
        finite -= is_finite;
        bits &= is_finite;
        old = (ms_v8i)y & (int32_t)MS_MAGNITUDE & is_finite;
        memcpy(&half, &bits, sizeof half);
        memcpy(&other, (char *)&bits + sizeof half, sizeof other);
        moved += __builtin_convertvector(half, ms_v4d) + __builtin_convertvector(other, ms_v4d);
        memcpy(&half, &old, sizeof half);
        memcpy(&other, (char *)&old + sizeof half, sizeof other);
        size += __builtin_convertvector(half, ms_v4d) + __builtin_convertvector(other, ms_v4d);
    }
    for (int lane = 0; lane < MS_LANES; lane++) known += finite[lane];
    for (int lane = 0; lane < 4; lane++) {
        sums[0] += moved[lane];
        sums[1] += size[lane];
    }
    return known;
}

/* The means of |now - before| and |before|; NaN where no difference is finite. */
static void ms_update(const char *now, const char *before, int kind, int64_t count, double *means) {
    uint32_t new_block[MS_BLOCK], old_block[MS_BLOCK];
    double sums[2] = {0, 0};
    int64_t known = 0, wide = kind == MS_FLOAT64 ? 0 : count;
    for (int64_t first = 0; first < wide; first += MS_BLOCK) {
        int64_t size = count - first < MS_BLOCK ? count - first : MS_BLOCK, padded = (size + 7) / 8 * 8;
        ms_narrow(now, kind, first, size, new_block);
        ms_narrow(before, kind, first, size, old_block);
        memset(new_block + size, 0, 4 * (size_t)(padded - size));
        memset(old_block + size, 0, 4 * (size_t)(padded - size));
        known += ms_difference((float *)new_block, (float *)old_block, padded, sums) - (padded - size);
    }
    for (int64_t place = wide; place < count; place++) {
        double old = ms_wide(before, kind, place), difference = ms_wide(now, kind, place) - old;
        if (isfinite(difference)) {
            sums[0] += fabs(difference);
            sums[1] += fabs(old);
            known++;
        }
    }
    means[0] = known ? sums[0] / (double)known : NAN;
    means[1] = known ? sums[1] / (double)known : NAN;
}
#endif
