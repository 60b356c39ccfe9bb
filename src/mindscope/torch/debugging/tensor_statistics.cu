/* SPDX-License-Identifier: Apache-2.0 */
/* Statistics of a tensor in one pass over its memory, as ``stats/_tensor_statistics.h`` computes them.

   Compiled at run time, once for each KIND of elements. Each block adds up its part of the memory. The block that ends
   last adds up the parts, always in the same order, so that sums have the same bits each time. A C compiler takes this
   file too, for blocks of one thread: tests run it without a device. */

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

#ifdef __CUDACC__
#define KERNEL extern "C" __global__ __launch_bounds__(256)
#define DEVICE __device__ __forceinline__
#define SHARED __shared__
#define ALIGNED __align__(16)
#define MAGNITUDE(value) fabs(value)
#define LOWER(one, other) fmin(one, other)
#define HIGHER(one, other) fmax(one, other)
#define LANES 32
#define FROM_LANE(value, distance) __shfl_down_sync(0xffffffffu, value, distance)
#define BARRIER() __syncthreads()
#define FENCE() __threadfence()
#define TAKE(ticket) atomicAdd(ticket, 1u)
#else
#define KERNEL
#define DEVICE inline
#define SHARED static
#define ALIGNED
#define MAGNITUDE(value) ((value) < 0 ? -(value) : (value))
#define LOWER(one, other) ((one) < (other) ? (one) : (other))
#define HIGHER(one, other) ((one) > (other) ? (one) : (other))
#define LANES 1
#define FROM_LANE(value, distance) (value)
#define BARRIER()
#define FENCE()
#define TAKE(ticket) ((*(ticket))++)
struct {
    u32 x;
} threadIdx, blockIdx, blockDim, gridDim;
#endif

#define FLOAT32 0
#define FLOAT64 1
#define FLOAT16 2
#define BFLOAT16 3
#define INT16 4
#define INT32 5
#define INT64 6
#define UINT16 7
#define UINT32 8
#define UINT64 9
#define INT8 10
#define UINT8 11
#define BOOL 12

#if KIND == FLOAT64 || KIND >= INT16
typedef double number;
#define EXPONENT 0x7ff0000000000000ull
#else
typedef float number;
#define EXPONENT 0x7f800000u
#endif

#if KIND == FLOAT64 || KIND == INT64 || KIND == UINT64
#define SIZE 8
#elif KIND == FLOAT32 || KIND == INT32 || KIND == UINT32
#define SIZE 4
#elif KIND >= INT8
#define SIZE 1
#else
#define SIZE 2
#endif

#define PER_WORD (8 / SIZE)
#define BIG double_of(0x7ff0000000000000ull) /* infinity */

/* Fields of a row, as ``FIELDS`` of ``debug/model/fields.py`` orders them, then the hash. */
enum {
    COUNT, IS_NAN, POSITIVE_INF, NEGATIVE_INF, ZERO, BELOW, ABOVE, LEAST, GREATEST, SUM, SUM_ABS, SUM_SQUARES, NEAR_MAX,
    SUBNORMAL, UPDATE, BEFORE, HASH, FIELDS
};

typedef union {
    u64 bits;
    double value;
} Wide;

typedef union {
    u32 bits;
    float value;
} Narrow;

/* Loaded at once. */
typedef struct ALIGNED {
    u64 low, high;
} Pair;

typedef struct {
    u32 count, nan, positive_inf, negative_inf, zero, below, near_max, small;
    number least, greatest;
    double sum, sum_abs, squares;
    u64 hash;
} Sums;

static DEVICE float float_of(u32 bits) {
    Narrow narrow;
    narrow.bits = bits;
    return narrow.value;
}

static DEVICE double double_of(u64 bits) {
    Wide wide;
    wide.bits = bits;
    return wide.value;
}

static DEVICE u64 bits_of(double value) {
    Wide wide;
    wide.value = value;
    return wide.bits;
}

/* The number of an element whose bits are the lowest of a word. */
static DEVICE number number_of(u64 bits) {
#if KIND == FLOAT32
    return float_of((u32)bits);
#elif KIND == FLOAT64
    return double_of(bits);
#elif KIND == BFLOAT16
    return float_of((u32)bits << 16);
#elif KIND == FLOAT16
    u32 half = (u32)bits & 0xffffu, magnitude = half & 0x7fffu;
    Narrow moved;
    moved.value = float_of(magnitude << 13) * 5.192296858534828e33f; /* 2**112: from one bias to the other */
    return float_of(moved.bits | (magnitude >= 0x7c00u ? EXPONENT : 0u) | (half & 0x8000u) << 16);
#elif KIND == INT8
    return (signed char)bits;
#elif KIND == UINT8
    return (u8)bits;
#elif KIND == BOOL
    return (u8)bits != 0;
#elif KIND == INT16
    return (short)bits;
#elif KIND == UINT16
    return (u16)bits;
#elif KIND == INT32
    return (int)bits;
#elif KIND == UINT32
    return (u32)bits;
#elif KIND == INT64
    return (double)(i64)bits;
#else
    return (double)bits;
#endif
}

static DEVICE int is_finite(number value) {
#if KIND == FLOAT64 || KIND >= INT16
    return (bits_of(value) & EXPONENT) != EXPONENT;
#else
    Narrow narrow;
    narrow.value = value;
    return (narrow.bits & EXPONENT) != EXPONENT;
#endif
}

static DEVICE void start(Sums *sums) {
    sums->count = sums->nan = sums->positive_inf = sums->negative_inf = 0;
    sums->zero = sums->below = sums->near_max = sums->small = 0;
    sums->least = (number)BIG;
    sums->greatest = (number)-BIG;
    sums->sum = sums->sum_abs = sums->squares = 0;
    sums->hash = 0;
}

/* All of a finite number but its magnitude. No branches: a warp would run both. */
static DEVICE void add_usual(Sums *sums, number value, number tiny) {
    double exact = value;
    sums->zero += value == 0;
    sums->small += MAGNITUDE(value) < tiny;
    sums->below += value < 0;
    sums->least = LOWER(sums->least, value);
    sums->greatest = HIGHER(sums->greatest, value);
    sums->sum += exact;
    sums->squares += exact * exact;
}

/* Any number. */
static DEVICE void add_number(Sums *sums, number value, number near_max, number tiny) {
    if (is_finite(value)) {
        sums->near_max += MAGNITUDE(value) >= near_max;
        sums->sum_abs += MAGNITUDE((double)value);
        add_usual(sums, value, tiny);
    } else {
        sums->nan += value != value;
        sums->positive_inf += value > 0;
        sums->negative_inf += value < 0;
    }
}

/* The product of both halves of a word, each plus a key that depends on its place. */
static DEVICE u64 product(u64 word, i64 place) {
    u32 key = (u32)place * 0x9E3779B1u;
    return (u64)((u32)word + key) * (u32)((u32)(word >> 32) + (key ^ 0x85EBCA77u));
}

/* A word that is not aligned, or the last one, filled up with zeros. */
static DEVICE u64 assembled(const u8 *data, i64 first, i64 bytes) {
    u64 word = 0;
    for (int place = 0; place < 8 && first + place < bytes; place++) word |= (u64)data[first + place] << 8 * place;
    return word;
}

static DEVICE void add_word(Sums *sums, u64 word, i64 place, int elements, number near_max, number tiny) {
    double sum_abs = 0; /* at least the magnitude of each number; not finite if one is not */
    sums->hash += product(word, place);
    sums->count += elements;
#pragma unroll
    for (int element = 0; element < PER_WORD; element++)
        sum_abs += MAGNITUDE((double)number_of(word >> 8 * SIZE * element));
    if (elements == PER_WORD && sum_abs < near_max) {
        sums->sum_abs += sum_abs;
#pragma unroll
        for (int element = 0; element < PER_WORD; element++) add_usual(sums, number_of(word >> 8 * SIZE * element), tiny);
    } else {
#pragma unroll 1
        for (int element = 0; element < elements; element++, word >>= 8 * SIZE % 64)
            add_number(sums, number_of(word), near_max, tiny);
    }
}

static DEVICE void add_memory(Sums *sums, const u8 *data, i64 bytes, number near_max, number tiny) {
    i64 stride = (i64)gridDim.x * blockDim.x, first = (i64)blockIdx.x * blockDim.x + threadIdx.x;
    i64 pairs = (u64)data & 15 ? 0 : bytes / 16;
#pragma unroll 2
    for (i64 place = first; place < pairs; place += stride) {
        Pair pair = ((const Pair *)data)[place];
        add_word(sums, pair.low, 2 * place, PER_WORD, near_max, tiny);
        add_word(sums, pair.high, 2 * place + 1, PER_WORD, near_max, tiny);
    }
    for (i64 place = 2 * pairs + first; 8 * place < bytes; place += stride) {
        i64 rest = (bytes - 8 * place) / SIZE;
        add_word(sums, assembled(data, 8 * place, bytes), place, rest < PER_WORD ? (int)rest : PER_WORD, near_max, tiny);
    }
}

/* Two parts of a field together. The hash is a number of 64 bits in the place of a float. */
static DEVICE double both(int field, double one, double other) {
    if (field == HASH) return double_of(bits_of(one) + bits_of(other));
    if (field == LEAST) return one < other ? one : other;
    if (field == GREATEST) return one > other ? one : other;
    return one + other;
}

static DEVICE double nothing(int field) {
    return field == LEAST ? BIG : field == GREATEST ? -BIG : 0;
}

static DEVICE void write_fields(const Sums *sums, double *fields) {
    fields[COUNT] = fields[UPDATE] = fields[BEFORE] = 0;
    fields[IS_NAN] = sums->nan;
    fields[POSITIVE_INF] = sums->positive_inf;
    fields[NEGATIVE_INF] = sums->negative_inf;
    fields[ZERO] = sums->zero;
    fields[BELOW] = sums->below;
    fields[ABOVE] = sums->count - sums->nan - sums->positive_inf - sums->negative_inf - sums->zero - sums->below;
    fields[LEAST] = sums->least;
    fields[GREATEST] = sums->greatest;
    fields[SUM] = sums->sum;
    fields[SUM_ABS] = sums->sum_abs;
    fields[SUM_SQUARES] = sums->squares;
    fields[NEAR_MAX] = sums->near_max;
    fields[SUBNORMAL] = KIND <= BFLOAT16 ? sums->small - sums->zero : 0;
    fields[HASH] = double_of(sums->hash);
}

/* Adds up the columns of a table in the memory of the block; the sums are its first row. The rows are a power of two. */
static DEVICE void reduce(double (*table)[FIELDS], int rows) {
    for (int half = rows / 2; half > 0; half /= 2) {
        for (int cell = threadIdx.x; cell < half * FIELDS; cell += blockDim.x) {
            int row = cell / FIELDS, field = cell % FIELDS;
            table[row][field] = both(field, table[row][field], table[row + half][field]);
        }
        BARRIER();
    }
}

/* Whether this is the last block to come here; what the others wrote before is there then. */
static DEVICE int is_last(u32 *ticket) {
    SHARED int last;
    FENCE();
    BARRIER();
    if (threadIdx.x == 0) last = TAKE(ticket) == gridDim.x - 1;
    BARRIER();
    return last;
}

/* The parts of all blocks, added up into the first row of a table. */
static DEVICE void gather(double (*table)[FIELDS], const volatile double *parts, int rows) {
    for (int cell = threadIdx.x; cell < rows * FIELDS; cell += blockDim.x) {
        int field = cell % FIELDS;
        double found = nothing(field);
        for (u32 block = (u32)(cell / FIELDS); block < gridDim.x; block += (u32)rows)
            found = both(field, found, parts[(u64)block * FIELDS + field]);
        table[cell / FIELDS][field] = found;
    }
    BARRIER();
    reduce(table, rows);
}

/* Sums over lanes that run together, so that the table has a row for 32 threads. */
static DEVICE void write_part(Sums *sums, double (*table)[FIELDS], double *part) {
    double fields[FIELDS];
    int rows = (blockDim.x + LANES - 1) / LANES;
    write_fields(sums, fields);
#pragma unroll 1
    for (int distance = LANES / 2; distance > 0; distance /= 2) {
#pragma unroll
        for (int field = 0; field < FIELDS; field++)
            fields[field] = both(field, fields[field], FROM_LANE(fields[field], distance));
    }
    for (int field = 0; field < FIELDS; field++)
        if (threadIdx.x % LANES == 0) table[threadIdx.x / LANES][field] = fields[field];
    BARRIER();
    reduce(table, rows);
    for (int field = threadIdx.x; field < FIELDS; field += blockDim.x) part[field] = table[0][field];
}

/* One row of FIELDS numbers. The parts have a row for each block; the ticket is 0 before and after. */
KERNEL void mindscope_statistics(
    const u8 *data, i64 count, double near_max, double tiny, double *row, double *parts, u32 *ticket
) {
    SHARED double table[32][FIELDS];
    Sums sums;
    start(&sums);
    add_memory(&sums, data, count * SIZE, (number)near_max, (number)tiny);
    write_part(&sums, table, gridDim.x == 1 ? row : parts + (u64)blockIdx.x * FIELDS);
    if (gridDim.x > 1) {
        if (!is_last(ticket)) return;
        gather(table, parts, 32);
        for (int field = threadIdx.x; field < FIELDS; field += blockDim.x) row[field] = table[0][field];
        if (threadIdx.x == 0) *ticket = 0;
    }
    BARRIER();
    if (threadIdx.x == 0) {
        row[COUNT] = (double)count;
        row[UPDATE] = row[BEFORE] = double_of(0x7ff8000000000000ull);
        if (row[LEAST] > row[GREATEST]) row[LEAST] = row[GREATEST] = row[UPDATE];
    }
}

#if KIND <= BFLOAT16
/* The means of |now - before| and |before| where the difference is finite, into the row of the parameter. */
KERNEL void mindscope_update(const u8 *now, const u8 *before, i64 count, double *row, double *parts, u32 *ticket) {
    SHARED double table[32][FIELDS];
    i64 stride = (i64)gridDim.x * blockDim.x;
    Sums sums;
    start(&sums);
    for (i64 place = (i64)blockIdx.x * blockDim.x + threadIdx.x; place < count; place += stride) {
        number old = number_of(assembled(before + SIZE * place, 0, SIZE));
        number moved = number_of(assembled(now + SIZE * place, 0, SIZE)) - old;
        if (is_finite(moved)) {
            sums.count++;
            sums.sum += moved < 0 ? -moved : moved;
            sums.sum_abs += old < 0 ? -old : old;
        }
    }
    write_part(&sums, table, parts + (u64)blockIdx.x * FIELDS);
    if (!is_last(ticket)) return;
    gather(table, parts, 32);
    if (threadIdx.x == 0) {
        row[UPDATE] = table[0][SUM] / table[0][ABOVE];
        row[BEFORE] = table[0][SUM_ABS] / table[0][ABOVE];
        *ticket = 0;
    }
}
#endif
