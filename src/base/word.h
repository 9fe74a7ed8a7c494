/* word.h - eight bytes of text looked at as one word
 *
 * Each test sets the top bit of a byte that has the property. The lowest bit set is exact; above it a borrow may set
 * bits that mean nothing. So tests can be or-ed and cl_word_first gives the first byte with any of the properties.
 *
 * Units    bytes; little-endian, as both supported machines are
 * Source   H. Warren, Hacker's Delight, 6-1
 * Threads  any thread
 */
#ifndef CL_BASE_WORD_H
#define CL_BASE_WORD_H

#include <stdint.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first byte of a text is the lowest of its word");

#define CL_WORD_ONES 0x0101010101010101u
#define CL_WORD_TOPS 0x8080808080808080u

static inline uint64_t cl_word_load(const uint8_t *p)
{
    uint64_t word;

    memcpy(&word, p, sizeof word);
    return word;
}

static inline uint64_t cl_word_non_ascii(uint64_t word)
{
    return word & CL_WORD_TOPS;
}

/* Bytes below limit, which is at most 0x80. */
static inline uint64_t cl_word_below(uint64_t word, uint8_t limit)
{
    return (word - CL_WORD_ONES * limit) & ~word & CL_WORD_TOPS;
}

static inline uint64_t cl_word_equal(uint64_t word, uint8_t byte)
{
    return cl_word_below(word ^ CL_WORD_ONES * byte, 1);
}

static inline uint32_t cl_word_first(uint64_t marks)
{
    return (uint32_t)__builtin_ctzll(marks) / 8;
}

/* First byte in [p, end) that is not plain in a JSON string: a quote, a backslash, a control character, no ASCII. */
static inline const uint8_t *cl_word_json_plain(const uint8_t *p, const uint8_t *end)
{
    while (end - p >= 8) {
        uint64_t word = cl_word_load(p);
        uint64_t marks = cl_word_non_ascii(word) | cl_word_below(word, 0x20) | cl_word_equal(word, '"') |
                         cl_word_equal(word, '\\');

        if (marks != 0)
            return p + cl_word_first(marks);
        p += 8;
    }
    while (p < end && *p >= 0x20 && *p < 0x80 && *p != '"' && *p != '\\')
        p++;
    return p;
}

#endif
