#include "base/json_span.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A decimal's rounding is settled by its first 768 digits and whether anything follows them. */
#define DIGITS_MOST 800

/* digits, without zeros at either end, times ten to the exponent. count 0 is zero. */
typedef struct decimal {
    char digits[DIGITS_MOST + 1];
    uint32_t count;
    int64_t exponent;
    bool is_negative;
} decimal;

#define EXPONENT_MOST ((int64_t)1 << 50)

static int64_t read_exponent(const char *p, const char *end)
{
    int64_t value = 0;
    bool is_negative = *p == '-';

    if (*p == '-' || *p == '+')
        p++;
    for (; p < end; p++)
        if (value < EXPONENT_MOST)
            value = value * 10 + (*p - '0');
    return is_negative ? -value : value;
}

static bool read_decimal(const cl_json_span *number, decimal *out)
{
    const char *p = number->text, *end = p + number->length;
    bool in_fraction = false, is_cut = false;
    int64_t zeros = 0; /* seen, and written only when another digit follows */

    if (number->type != CL_JSON_NUMBER)
        return false;
    out->count = 0;
    out->exponent = 0;
    out->is_negative = *p == '-';
    for (p += out->is_negative; p < end && *p != 'e' && *p != 'E'; p++) {
        if (*p == '.') {
            in_fraction = true;
            continue;
        }
        if (in_fraction)
            out->exponent--;
        if (*p == '0') {
            zeros++;
            continue;
        }
        if (out->count == 0)
            zeros = 0; /* Leading ones say nothing. */
        for (; zeros > 0 && out->count < DIGITS_MOST; zeros--)
            out->digits[out->count++] = '0';
        if (zeros == 0 && out->count < DIGITS_MOST) {
            out->digits[out->count++] = *p;
        } else {
            is_cut = true;
            zeros++;
        }
    }
    /* What is left in zeros are places that were counted and not written. */
    if (p < end)
        out->exponent += read_exponent(p + 1, end);
    if (out->count == 0)
        return true;
    out->exponent += zeros;
    if (is_cut) {
        out->digits[out->count++] = '1';
        out->exponent--;
    }
    return true;
}

bool cl_json_uint(const cl_json_span *number, uint64_t least, uint64_t most, uint64_t *out)
{
    decimal d;
    uint64_t value = 0;

    *out = 0;
    if (!read_decimal(number, &d))
        return false;
    if (d.count > 0) {
        if (d.is_negative || d.exponent < 0 || d.count + d.exponent > 20)
            return false;
        for (int64_t i = 0; i < d.count + d.exponent; i++) {
            uint64_t digit = i < d.count ? (uint64_t)(d.digits[i] - '0') : 0;

            if (__builtin_mul_overflow(value, 10u, &value) || __builtin_add_overflow(value, digit, &value))
                return false;
        }
    }
    if (value < least || value > most)
        return false;
    *out = value;
    return true;
}

/* strtod takes the decimal point from the locale, so it is given none: 12.5e3 becomes 125e2. */
bool cl_json_double(const cl_json_span *number, double *out)
{
    char text[DIGITS_MOST + 32];
    decimal d;
    int64_t exponent;
    double value = 0;

    *out = 0;
    if (!read_decimal(number, &d))
        return false;
    if (d.count > 0) {
        exponent = d.exponent > 99999 ? 99999 : d.exponent < -99999 ? -99999 : d.exponent;
        memcpy(text, d.digits, d.count);
        snprintf(text + d.count, sizeof text - d.count, "e%d", (int)exponent);
        value = strtod(text, NULL);
        if (isinf(value))
            return false;
    }
    *out = d.is_negative ? -value : value;
    return true;
}
