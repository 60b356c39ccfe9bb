/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics of an array, a block that fits the first cache at a time: sums and counts, then the hash of its bytes.

   Floats of 16 bits become blocks of float32, integers blocks of float64. A vector loop reads a block; where it meets a
   number that is not finite, the finite ones are moved together and read again. Vectors are those of the compiler, so
   that it makes versions for several processors where it can; all of them give the same bits. */
#ifndef MINDSCOPE_TENSOR_STATISTICS_H
#define MINDSCOPE_TENSOR_STATISTICS_H

#include <math.h>
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#if defined(__x86_64__) && defined(__linux__) && defined(__GNUC__) && __GNUC__ >= 12 && !defined(__clang__)
#define MS_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define MS_CLONES
#endif

#define MS_BLOCK 2048
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

/* Adds float32 numbers, a multiple of eight, and returns 1; or returns 0 if one is not finite. The limits are bits. */
MS_CLONES static int ms_add_floats(
    MsStatistics *found, const char *data, int64_t count, uint32_t near_max, uint32_t tiny
) {
    ms_v8f zero = {0}, low, high;
    ms_v8i below = {0}, nil = {0}, large = {0}, small = {0}, infinite = {0};
    ms_v4d sum = {0}, sum_abs = {0}, squares = {0}, sum2 = {0}, sum_abs2 = {0}, squares2 = {0};
    int32_t largest = (int32_t)near_max, least = (int32_t)tiny;
    memcpy(&low, data, sizeof low);
    high = low;
    for (int64_t place = 0; place < count; place += MS_LANES) {
        ms_v8f x;
        ms_v8i is_lower, is_higher, magnitude;
        ms_v4f half, other;
        ms_v4d a, b;
        memcpy(&x, data + 4 * place, sizeof x);
        memcpy(&half, data + 4 * place, sizeof half);
        memcpy(&other, data + 4 * (place + MS_LANES / 2), sizeof other);
        magnitude = (ms_v8i)x & (int32_t)MS_MAGNITUDE;
        below -= x < zero;
        nil -= magnitude == (ms_v8i)zero;
        large -= magnitude >= largest;
        small -= magnitude < least;
        infinite |= magnitude >= (int32_t)MS_INF;
        is_lower = x < low;
        is_higher = x > high;
        low = (ms_v8f)(((ms_v8i)x & is_lower) | ((ms_v8i)low & ~is_lower));
        high = (ms_v8f)(((ms_v8i)x & is_higher) | ((ms_v8i)high & ~is_higher));
        a = __builtin_convertvector(half, ms_v4d);
        b = __builtin_convertvector(other, ms_v4d);
        sum += a;
        sum2 += b;
        squares += a * a;
        squares2 += b * b;
        sum_abs += (ms_v4d)((ms_v4l)a & INT64_MAX);
        sum_abs2 += (ms_v4d)((ms_v4l)b & INT64_MAX);
    }
    for (int lane = 0; lane < MS_LANES; lane++)
        if (infinite[lane]) return 0;
    int64_t lower = 0, zeros = 0;
    sum += sum2;
    sum_abs += sum_abs2;
    squares += squares2;
    for (int lane = 0; lane < MS_LANES; lane++) {
        lower += below[lane];
        zeros += nil[lane];
        found->near_max += large[lane];
        found->subnormal += small[lane] - nil[lane];
        if (low[lane] < found->min) found->min = low[lane];
        if (high[lane] > found->max) found->max = high[lane];
    }
    found->below += lower;
    found->zero += zeros;
    found->above += count - lower - zeros;
    found->sum += (sum[0] + sum[1]) + (sum[2] + sum[3]);
    found->sum_abs += (sum_abs[0] + sum_abs[1]) + (sum_abs[2] + sum_abs[3]);
    found->sum_squares += (squares[0] + squares[1]) + (squares[2] + squares[3]);
    return 1;
}

/* As ms_add_floats for float64; count is a multiple of four. */
MS_CLONES static int ms_add_doubles(MsStatistics *found, const char *data, int64_t count, double near_max, double tiny) {
    ms_v4d zero = {0}, low, high, sum = {0}, sum_abs = {0}, squares = {0};
    ms_v4l below = {0}, nil = {0}, large = {0}, small = {0}, finite = {0};
    memcpy(&low, data, sizeof low);
    high = low;
    for (int64_t place = 0; place < count; place += 4) {
        ms_v4d x, magnitude;
        ms_v4l is_lower, is_higher;
        memcpy(&x, data + 8 * place, sizeof x);
        magnitude = (ms_v4d)((ms_v4l)x & INT64_MAX);
        below -= x < zero;
        nil -= x == zero;
        large -= magnitude >= near_max;
        small -= magnitude < tiny;
        finite -= magnitude <= 1.7976931348623157e308;
        is_lower = x < low;
        is_higher = x > high;
        low = (ms_v4d)(((ms_v4l)x & is_lower) | ((ms_v4l)low & ~is_lower));
        high = (ms_v4d)(((ms_v4l)x & is_higher) | ((ms_v4l)high & ~is_higher));
        sum += x;
        sum_abs += magnitude;
        squares += x * x;
    }
    if (finite[0] + finite[1] + finite[2] + finite[3] != count) return 0;
    int64_t lower = 0, zeros = 0;
    for (int lane = 0; lane < 4; lane++) {
        lower += below[lane];
        zeros += nil[lane];
        found->near_max += large[lane];
        if (tiny > 0) found->subnormal += small[lane] - nil[lane];
        if (low[lane] < found->min) found->min = low[lane];
        if (high[lane] > found->max) found->max = high[lane];
    }
    found->below += lower;
    found->zero += zeros;
    found->above += count - lower - zeros;
    found->sum += (sum[0] + sum[1]) + (sum[2] + sum[3]);
    found->sum_abs += (sum_abs[0] + sum_abs[1]) + (sum_abs[2] + sum_abs[3]);
    found->sum_squares += (squares[0] + squares[1]) + (squares[2] + squares[3]);
    return 1;
}

static float ms_float(const char *data, int64_t place) {
    float value;
    memcpy(&value, data + 4 * place, sizeof value);
    return value;
}

static double ms_double(const char *data, int64_t place) {
    double value;
    memcpy(&value, data + 8 * place, sizeof value);
    return value;
}

/* Moves the finite float32 numbers of a block together and counts the others; returns how many are finite. */
static int64_t ms_finite_floats(MsStatistics *found, const char *data, int64_t count, uint32_t *finite) {
    int64_t kept = 0;
    for (int64_t place = 0; place < count; place++) {
        uint32_t bits, magnitude;
        memcpy(&bits, data + 4 * place, sizeof bits);
        magnitude = bits & MS_MAGNITUDE;
        finite[kept] = bits;
        kept += magnitude < MS_INF;
        found->nan += magnitude > MS_INF;
        found->positive_inf += bits == MS_INF;
        found->negative_inf += bits == (MS_INF | 0x80000000u);
    }
    return kept;
}

static int64_t ms_finite_doubles(MsStatistics *found, const char *data, int64_t count, double *finite) {
    int64_t kept = 0;
    for (int64_t place = 0; place < count; place++) {
        double value = ms_double(data, place);
        finite[kept] = value;
        kept += isfinite(value) != 0;
        found->nan += isnan(value) != 0;
        found->positive_inf += value == INFINITY;
        found->negative_inf += value == -INFINITY;
    }
    return kept;
}

/* A block of float32; near_max and tiny are bits of float32. */
static void ms_float_block(MsStatistics *found, const char *data, int64_t count, uint32_t near_max, uint32_t tiny) {
    uint32_t finite[MS_BLOCK], limits[2] = {near_max, tiny};
    int64_t whole = count - count % MS_LANES;
    if (whole && !ms_add_floats(found, data, whole, near_max, tiny)) {
        count = ms_finite_floats(found, data, count, finite);
        data = (const char *)finite;
        whole = count - count % MS_LANES;
        if (whole) ms_add_floats(found, data, whole, near_max, tiny);
    }
    for (int64_t place = whole; place < count; place++)
        ms_add(found, ms_float(data, place), ms_float((const char *)limits, 0), ms_float((const char *)limits, 1));
}

static void ms_double_block(MsStatistics *found, const char *data, int64_t count, double near_max, double tiny) {
    double finite[MS_BLOCK / 2];
    int64_t whole = count - count % 4;
    if (whole && !ms_add_doubles(found, data, whole, near_max, tiny)) {
        count = ms_finite_doubles(found, data, count, finite);
        data = (const char *)finite;
        whole = count - count % 4;
        if (whole) ms_add_doubles(found, data, whole, near_max, tiny);
    }
    for (int64_t place = whole; place < count; place++) ms_add(found, ms_double(data, place), near_max, tiny);
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

/* Where count numbers of a kind of at most 32 bits are as float32: in their memory, or in the block. */
static const char *ms_narrow(const char *data, int kind, int64_t first, int64_t count, uint32_t *block) {
    if (kind == MS_FLOAT32) return data + 4 * first;
    if (kind == MS_BFLOAT16) ms_from_bfloat16((const uint16_t *)data + first, block, count);
    else ms_from_float16((const uint16_t *)data + first, block, count);
    return (const char *)block;
}

#define MS_WIDEN(type) \
    for (int64_t place = 0; place < count; place++) block[place] = (double)((const type *)data)[first + place]; \
    break

/* Where count numbers of another kind are as float64. */
MS_CLONES static const char *ms_wide(const char *data, int kind, int64_t first, int64_t count, double *block) {
    switch (kind) {
        case MS_INT16: MS_WIDEN(int16_t);
        case MS_INT32: MS_WIDEN(int32_t);
        case MS_INT64: MS_WIDEN(int64_t);
        case MS_UINT16: MS_WIDEN(uint16_t);
        case MS_UINT32: MS_WIDEN(uint32_t);
        case MS_UINT64: MS_WIDEN(uint64_t);
        default: return data + 8 * first;
    }
    return (const char *)block;
}

/* A sum over the memory as words of 64 bits, the last one filled up with zeros: the product of both halves of a word, each
   plus a key that depends on its place; first is the place of the first word. Source: NH, in "UMAC: Fast and Secure
   Message Authentication" (1999). */
static uint64_t ms_product(uint64_t word, int64_t place) {
    uint32_t key = (uint32_t)place * 0x9E3779B1u;
    return (uint64_t)((uint32_t)word + key) * (uint32_t)((uint32_t)(word >> 32) + (key ^ 0x85EBCA77u));
}

#ifdef __SSE2__
/* Four words at a time, which compilers don't find by themselves. */
static uint64_t ms_hash_fours(const char *data, int64_t first, int64_t words) {
    __m128i sum = _mm_setzero_si128(), flip = _mm_set1_epi64x((int64_t)0x85EBCA7700000000u);
    __m128i next = _mm_set1_epi32((int32_t)(4 * 0x9E3779B1u)), keys[2];
    uint32_t start[8];
    uint64_t lanes[2];
    for (int lane = 0; lane < 8; lane++) start[lane] = (uint32_t)(first + lane / 2) * 0x9E3779B1u;
    memcpy(keys, start, sizeof keys);
    for (int64_t place = 0; place < words; place += 4) {
        for (int pair = 0; pair < 2; pair++) {
            __m128i word;
            memcpy(&word, data + 8 * place + 16 * pair, sizeof word);
            word = _mm_add_epi32(word, _mm_xor_si128(keys[pair], flip));
            sum = _mm_add_epi64(sum, _mm_mul_epu32(word, _mm_srli_epi64(word, 32)));
            keys[pair] = _mm_add_epi32(keys[pair], next);
        }
    }
    memcpy(lanes, &sum, sizeof lanes);
    return lanes[0] + lanes[1];
}
#else
static uint64_t ms_hash_fours(const char *data, int64_t first, int64_t words) {
    uint64_t sum = 0, word;
    for (int64_t place = 0; place < words; place++) {
        memcpy(&word, data + 8 * place, 8);
        sum += ms_product(word, first + place);
    }
    return sum;
}
#endif

static uint64_t ms_hash(const char *data, int64_t first, int64_t bytes) {
    int64_t words = bytes / 32 * 4;
    uint64_t sum = ms_hash_fours(data, first, words), word;
    for (int64_t place = words; 8 * place < bytes; place++) {
        int64_t rest = bytes - 8 * place;
        word = 0;
        memcpy(&word, data + 8 * place, rest < 8 ? (size_t)rest : 8);
        sum += ms_product(word, first + place);
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

/* The magnitude from which on a number of 64 bits, or an integer, is near the end of its range. */
static double ms_limit(int kind) {
    switch (kind) {
        case MS_INT16: return INT16_MAX;
        case MS_INT32: return INT32_MAX;
        case MS_INT64: return 9223372036854775808.0;
        case MS_UINT16: return UINT16_MAX;
        case MS_UINT32: return UINT32_MAX;
        case MS_UINT64: return 18446744073709551616.0;
        default: return 8.98846567431157854e307;
    }
}

static void ms_summarize(MsStatistics *found, const char *data, int kind, int64_t count) {
    uint32_t near_max = kind == MS_FLOAT32 ? 0x7effffffu : kind == MS_BFLOAT16 ? 0x7eff0000u : 0x46ffe000u;
    uint32_t tiny = kind == MS_FLOAT16 ? 0x38800000u : 0x00800000u;
    double limit = ms_limit(kind);
    double least = kind == MS_FLOAT64 ? 2.2250738585072014e-308 : 0;
    int is_narrow = kind == MS_FLOAT32 || kind == MS_FLOAT16 || kind == MS_BFLOAT16;
    int64_t bytes = ms_size(kind), step = is_narrow ? MS_BLOCK : MS_BLOCK / 2;
    ms_start(found, count);
    for (int64_t first = 0; first < count; first += step) {
        double block[MS_BLOCK / 2];
        int64_t size = count - first < step ? count - first : step;
        if (is_narrow)
            ms_float_block(found, ms_narrow(data, kind, first, size, (uint32_t *)block), size, near_max, tiny);
        else
            ms_double_block(found, ms_wide(data, kind, first, size, block), size, limit, least);
        found->hash += ms_hash(data + first * bytes, first * bytes / 8, size * bytes);
    }
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
    found->hash = ms_hash((const char *)data, 0, count);
}

/* Sums of |now - before| and |before| over numbers whose difference is finite; count is a multiple of eight. */
MS_CLONES static int64_t ms_difference(const char *now, const char *before, int64_t count, double *sums) {
    ms_v4d moved = {0}, size = {0};
    ms_v8i finite = {0};
    int64_t known = 0;
    for (int64_t place = 0; place < count; place += MS_LANES) {
        ms_v8f x, y, difference;
        ms_v8i bits, old, is_finite;
        ms_v4f half, other;
        memcpy(&x, now + 4 * place, sizeof x);
        memcpy(&y, before + 4 * place, sizeof y);
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
        int64_t size = count - first < MS_BLOCK ? count - first : MS_BLOCK, whole = size - size % MS_LANES;
        const char *x = ms_narrow(now, kind, first, size, new_block), *y = ms_narrow(before, kind, first, size, old_block);
        known += ms_difference(x, y, whole, sums);
        if (whole < size) {
            char ends[2][4 * MS_LANES] = {{0}};
            memcpy(ends[0], x + 4 * whole, 4 * (size_t)(size - whole));
            memcpy(ends[1], y + 4 * whole, 4 * (size_t)(size - whole));
            known += ms_difference(ends[0], ends[1], MS_LANES, sums) - (MS_LANES - (size - whole));
        }
    }
    for (int64_t place = wide; place < count; place++) {
        double old = ms_double(before, place), difference = ms_double(now, place) - old;
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
