/* utf8_step.h - one UTF-8 sequence at a time
 *
 * Surrogates written as three bytes come back as their code point (D800..DFFF); whether that is fine is the caller's
 * decision. What is no UTF-8 comes back as CL_UTF8_BAD with the length of its maximal subpart, so that replacing each
 * by U+FFFD gives what a TextDecoder gives.
 *
 * Source   Unicode 15, 3.9, tables 3-7 and 3-8
 * Threads  any thread
 */
#ifndef CL_BASE_UTF8_STEP_H
#define CL_BASE_UTF8_STEP_H

#include <stdbool.h>
#include <stdint.h>

#define CL_UTF8_BAD UINT32_MAX

static inline bool cl_utf8_is_surrogate(uint32_t code_point)
{
    return code_point - 0xd800u < 0x800u;
}

/* The sequence at p < end: its length, at least 1. */
static inline uint32_t cl_utf8_step(const uint8_t *p, const uint8_t *end, uint32_t *code_point)
{
    uint32_t lead = p[0], rest, value;
    uint32_t least = 0x80, most = 0xbf; /* of the second byte: no long forms, nothing above 10FFFF */

    if (lead < 0x80) {
        *code_point = lead;
        return 1;
    }
    if (lead >= 0xc2 && lead <= 0xdf) {
        rest = 1;
        value = lead & 0x1f;
    } else if ((lead & 0xf0) == 0xe0) {
        rest = 2;
        value = lead & 0x0f;
        if (lead == 0xe0)
            least = 0xa0;
    } else if (lead >= 0xf0 && lead <= 0xf4) {
        rest = 3;
        value = lead & 0x07;
        if (lead == 0xf0)
            least = 0x90;
        else if (lead == 0xf4)
            most = 0x8f;
    } else {
        *code_point = CL_UTF8_BAD;
        return 1;
    }
    for (uint32_t i = 1; i <= rest; i++) {
        if (p + i == end || p[i] < least || p[i] > most) {
            *code_point = CL_UTF8_BAD;
            return i;
        }
        value = value << 6 | (p[i] & 0x3fu);
        least = 0x80;
        most = 0xbf;
    }
    *code_point = value;
    return rest + 1;
}

/* Writes a code point below 110000, surrogates as three bytes: 1 to 4 bytes. */
static inline uint32_t cl_utf8_put(uint32_t code_point, char *to)
{
    if (code_point < 0x80) {
        to[0] = (char)code_point;
        return 1;
    }
    if (code_point < 0x800) {
        to[0] = (char)(0xc0 | code_point >> 6);
        to[1] = (char)(0x80 | (code_point & 0x3f));
        return 2;
    }
    if (code_point < 0x10000) {
        to[0] = (char)(0xe0 | code_point >> 12);
        to[1] = (char)(0x80 | (code_point >> 6 & 0x3f));
        to[2] = (char)(0x80 | (code_point & 0x3f));
        return 3;
    }
    to[0] = (char)(0xf0 | code_point >> 18);
    to[1] = (char)(0x80 | (code_point >> 12 & 0x3f));
    to[2] = (char)(0x80 | (code_point >> 6 & 0x3f));
    to[3] = (char)(0x80 | (code_point & 0x3f));
    return 4;
}

#endif
