/* SPDX-License-Identifier: Apache-2.0
 * CRC-32C (Castagnoli, reflected polynomial 0x82F63B78; RFC 3720 appendix B.4). Uses the processor's CRC instruction if
 * it has one, else slicing-by-8 tables. */
#ifndef MINDSCOPE_CRC32C_H
#define MINDSCOPE_CRC32C_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

static uint32_t crc32c_table[8][256];

static void crc32c_fill_table(void) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t crc = byte;
        for (int bit = 0; bit < 8; bit++) crc = (crc >> 1) ^ (0x82F63B78u & (0u - (crc & 1u)));
        crc32c_table[0][byte] = crc;
    }
    for (uint32_t byte = 0; byte < 256; byte++)
        for (int slice = 1; slice < 8; slice++)
            crc32c_table[slice][byte] =
                (crc32c_table[slice - 1][byte] >> 8) ^ crc32c_table[0][crc32c_table[slice - 1][byte] & 0xff];
}

static uint32_t crc32c_by_table(uint32_t crc, const uint8_t *data, size_t length) {
    for (; length >= 8; data += 8, length -= 8) {
        uint32_t low = crc ^ ((uint32_t)data[0] | (uint32_t)data[1] << 8 | (uint32_t)data[2] << 16 | (uint32_t)data[3] << 24);
        crc = crc32c_table[7][low & 0xff] ^ crc32c_table[6][(low >> 8) & 0xff] ^ crc32c_table[5][(low >> 16) & 0xff] ^
              crc32c_table[4][low >> 24] ^ crc32c_table[3][data[4]] ^ crc32c_table[2][data[5]] ^
              crc32c_table[1][data[6]] ^ crc32c_table[0][data[7]];
    }
    for (; length; data++, length--) crc = (crc >> 8) ^ crc32c_table[0][(crc ^ *data) & 0xff];
    return crc;
}

/* CRC32C_WITH_INSTRUCTION marks a function that runs only on processors with the CRC instruction. */
#if defined(__x86_64__) && defined(__GNUC__)
#define CRC32C_WITH_INSTRUCTION __attribute__((target("sse4.2")))
CRC32C_WITH_INSTRUCTION static inline uint32_t crc32c_by_instruction(uint32_t crc, const uint8_t *data, size_t length) {
    uint64_t wide = crc;
    for (; length >= 8; data += 8, length -= 8) {
        uint64_t word;
        memcpy(&word, data, 8);
        wide = __builtin_ia32_crc32di(wide, word);
    }
    crc = (uint32_t)wide;
    if (length & 4) {
        uint32_t word;
        memcpy(&word, data, 4);
        crc = __builtin_ia32_crc32si(crc, word);
        data += 4;
    }
    if (length & 2) {
        uint16_t word;
        memcpy(&word, data, 2);
        crc = __builtin_ia32_crc32hi(crc, word);
        data += 2;
    }
    return length & 1 ? __builtin_ia32_crc32qi(crc, *data) : crc;
}
static int crc32c_has_instruction(void) {
    __builtin_cpu_init();
    return __builtin_cpu_supports("sse4.2");
}
#elif defined(__aarch64__) && defined(__GNUC__) && defined(__linux__)
#include <sys/auxv.h>
#ifndef HWCAP_CRC32
#define HWCAP_CRC32 (1 << 7)
#endif
#define CRC32C_WITH_INSTRUCTION __attribute__((target("+crc")))
CRC32C_WITH_INSTRUCTION static inline uint32_t crc32c_by_instruction(uint32_t crc, const uint8_t *data, size_t length) {
    for (; length >= 8; data += 8, length -= 8) {
        uint64_t word;
        memcpy(&word, data, 8);
        __asm__("crc32cx %w0, %w0, %x1" : "+r"(crc) : "r"(word));
    }
    if (length & 4) {
        uint32_t word;
        memcpy(&word, data, 4);
        __asm__("crc32cw %w0, %w0, %w1" : "+r"(crc) : "r"(word));
        data += 4;
    }
    if (length & 2) {
        uint16_t word;
        memcpy(&word, data, 2);
        __asm__("crc32ch %w0, %w0, %w1" : "+r"(crc) : "r"((uint32_t)word));
        data += 2;
    }
    if (length & 1) __asm__("crc32cb %w0, %w0, %w1" : "+r"(crc) : "r"((uint32_t)*data));
    return crc;
}
static int crc32c_has_instruction(void) { return (getauxval(AT_HWCAP) & HWCAP_CRC32) != 0; }
#else
#define CRC32C_WITH_INSTRUCTION
static inline uint32_t crc32c_by_instruction(uint32_t crc, const uint8_t *data, size_t length) {
    return crc32c_by_table(crc, data, length);
}
static int crc32c_has_instruction(void) { return 0; }
#endif

static int crc32c_use_instruction = 0;

/* Call once, before any other thread can compute a checksum. */
static void crc32c_initialise(void) {
    crc32c_fill_table();
    crc32c_use_instruction = crc32c_has_instruction();
}

/* CRC-32C of ``data`` that follows bytes whose checksum is ``before``; 0 if no bytes precede it. */
static inline uint32_t crc32c_after(uint32_t before, const uint8_t *data, size_t length, int by_table) {
    return ~(crc32c_use_instruction && !by_table ? crc32c_by_instruction(~before, data, length)
                                                 : crc32c_by_table(~before, data, length));
}

static inline uint32_t crc32c_of(const uint8_t *data, size_t length) { return crc32c_after(0, data, length, 0); }

/* The checksum in the form that a record stores. */
static inline uint32_t crc32c_mask(uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xA282EAD8u; }

static inline uint32_t crc32c_masked(const uint8_t *data, size_t length) { return crc32c_mask(crc32c_of(data, length)); }
#endif
