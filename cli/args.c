#include "args.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include "buffer.h"
#include "out.h"

/* ---- numbers ---- */

typedef struct unit {
    const char *suffix;
    uint64_t factor;
} unit;

/* number and unit as a whole multiple of the base unit. */
static bool read_amount(const char *text, const unit *units, size_t count, uint64_t *out)
{
    size_t digits = strspn(text, "0123456789.");
    char number[32];
    char *end;
    double value;

    if (digits == 0 || digits >= sizeof number)
        return false;
    memcpy(number, text, digits);
    number[digits] = '\0';
    value = strtod(number, &end);
    if (*end != '\0')
        return false;
    for (size_t i = 0; i < count; i++) {
        double product = value * (double)units[i].factor;

        if (strcmp(text + digits, units[i].suffix) != 0)
            continue;
        /* Above 2^53 a double no longer holds every integer; nothing here is that large. */
        if (!(product < 9007199254740992.0) || product != (double)(uint64_t)product)
            return false;
        *out = (uint64_t)product;
        return true;
    }
    return false;
}

bool args_duration_ms(const char *text, uint64_t *out, const char **why)
{
    static const unit units[] = { { "", 1 }, { "ms", 1 }, { "s", 1000 }, { "m", 60000 } };

    *why = "is no duration in whole milliseconds; write 500ms, 5s or 2m";
    return read_amount(text, units, sizeof units / sizeof *units, out);
}

bool args_size_bytes(const char *text, uint64_t *out, const char **why)
{
    static const unit units[] = { { "", 1 << 20 }, { "k", 1 << 10 }, { "m", 1 << 20 }, { "g", 1 << 30 } };

    *why = "is no size in whole bytes; write 64k, 128m or 1g";
    return read_amount(text, units, sizeof units / sizeof *units, out);
}

static bool read_mib(const char *text, uint64_t *out, const char **why)
{
    uint64_t bytes;

    if (!args_size_bytes(text, &bytes, why) || bytes % (1 << 20) != 0) {
        *why = "is no size in whole MiB; write 128m or 1g";
        return false;
    }
    *out = bytes >> 20;
    return true;
}

static bool read_count(const char *text, uint64_t *out, const char **why)
{
    char *end;

    *why = "is no whole number";
    if (!isdigit((unsigned char)text[0]) || strlen(text) > 19)
        return false;
    *out = strtoull(text, &end, 10);
    return *end == '\0';
}

static bool read_choice(const char *text, const char *choices, int *out)
{
    size_t length = strlen(text);
    int index = 0;

    for (const char *at = choices;; index++) {
        size_t width = strcspn(at, "|");

        if (width == length && memcmp(at, text, length) == 0) {
            *out = index;
            return true;
        }
        if (at[width] == '\0')
            return false;
        at += width + 1;
    }
}

/* ---- suggestions ---- */

#define WORD_MOST 40

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Letters to change, add, leave out or swap with their neighbour. A word that is too long is near to nothing. */
static size_t distance(const char *a, size_t a_length, const char *b)
{
    size_t b_length = strlen(b);
    size_t d[WORD_MOST + 1][WORD_MOST + 1];

    if (a_length > WORD_MOST || b_length > WORD_MOST)
        return 2 * WORD_MOST;
    for (size_t i = 0; i <= a_length; i++)
        d[i][0] = i;
    for (size_t j = 0; j <= b_length; j++)
        d[0][j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        for (size_t j = 1; j <= b_length; j++) {
            d[i][j] = least(d[i - 1][j - 1] + (a[i - 1] != b[j - 1]), least(d[i - 1][j], d[i][j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
        }
    }
    return d[a_length][b_length];
}

const char *args_nearest(const char *word, size_t length, const char *(*name)(const void *, size_t),
                         const void *names, size_t count)
{
    const char *best = NULL;
    size_t best_distance = length / 2 < 3 ? length / 2 + 1 : 4; /* further than that is no typing error */

    for (size_t i = 0; i < count; i++) {
        const char *candidate = name(names, i);
        size_t d = distance(word, length, candidate);

        /* The beginning of a name is as good as one letter wrong. */
        if (length >= 3 && strncmp(candidate, word, length) == 0)
            d = 1;
        if (d < best_distance) {
            best = candidate;
            best_distance = d;
        }
    }
    return best;
}

static const char *spec_name(const void *specs, size_t index)
{
    return ((const arg_spec *)specs)[index].name;
}

/* ---- help ---- */

static void help_line(buffer *b, char letter, const char *name, const char *value, bool is_optional, const char *text)
{
    buffer left = { 0 };

    if (letter != 0 && name[0] != '\0')
        buffer_printf(&left, "-%c, --%s", letter, name);
    else if (letter != 0)
        buffer_printf(&left, "-%c", letter);
    else
        buffer_printf(&left, "    --%s", name);
    if (value != NULL && is_optional)
        buffer_printf(&left, "[=%s]", value);
    else if (value != NULL)
        buffer_printf(&left, " %s", value);
    if (left.length > 26)
        buffer_printf(b, "  %s\n  %-26s  %s\n", left.data, "", text);
    else
        buffer_printf(b, "  %-26s  %s\n", left.data, text);
    buffer_fini(&left);
}

static int print_help(const arg_table *table)
{
    buffer b = { 0 };

    buffer_printf(&b, "usage: cloche %s %s\n\n%s\n\noptions:\n", table->command, table->usage, table->text);
    for (size_t i = 0; i < table->count; i++) {
        const arg_spec *spec = &table->specs[i];
        bool is_long_choice = spec->type == ARG_CHOICE && strlen(spec->value) > 16;

        if (is_long_choice) {
            buffer text = { 0 };

            buffer_printf(&text, "%s: %s", spec->text, spec->value);
            help_line(&b, spec->letter, spec->name, "NAME", false, text.data);
            buffer_fini(&text);
        } else {
            help_line(&b, spec->letter, spec->name, spec->value, spec->type == ARG_SEED, spec->text);
        }
    }
    help_line(&b, 'h', "help", NULL, false, "this text");
    if (table->ending != NULL)
        buffer_printf(&b, "\n%s\n", table->ending);
    out_write(1, b.data, b.length);
    buffer_fini(&b);
    return EX_OK;
}

/* ---- reading ---- */

typedef struct parse {
    const arg_table *table;
    char *options;
    int argc;
    char **argv;
    int at; /* the argument being read */
} parse;

static bool takes_value(const arg_spec *spec)
{
    return spec->type != ARG_FLAG && spec->type != ARG_SEED;
}

/* shown: the option as it was written. */
static bool store(const parse *p, const arg_spec *spec, const char *shown, const char *text)
{
    void *place = p->options + spec->offset;
    arg_amount amount = { .is_given = true };
    const char *why = NULL;
    bool is_read = true;

    switch (spec->type) {
    case ARG_FLAG: *(bool *)place = true; return true;
    case ARG_TEXT: *(const char **)place = text; return true;
    case ARG_CHOICE:
        if (read_choice(text, spec->value, place))
            return true;
        out_complain(p->table->command, "%s: '%s' is none of %s", shown, text, spec->value);
        return false;
    case ARG_DURATION: is_read = args_duration_ms(text, &amount.value, &why); break;
    case ARG_MIB: is_read = read_mib(text, &amount.value, &why); break;
    case ARG_SIZE: is_read = args_size_bytes(text, &amount.value, &why); break;
    case ARG_COUNT: is_read = read_count(text, &amount.value, &why); break;
    case ARG_SEED: is_read = text == NULL || read_count(text, &amount.value, &why); break;
    }
    if (!is_read) {
        out_complain(p->table->command, "%s: '%s' %s", shown, text, why);
        return false;
    }
    *(arg_amount *)place = amount;
    return true;
}

static bool is_help(const char *name, size_t length)
{
    return length == 4 && memcmp(name, "help", 4) == 0;
}

static bool parse_long(parse *p, const char *arg, int *status)
{
    const char *name = arg + 2;
    size_t length = strcspn(name, "=");
    const char *value = name[length] == '=' ? name + length + 1 : NULL;
    const arg_spec *spec = NULL;
    char shown[64];
    const char *near;

    for (size_t i = 0; i < p->table->count && spec == NULL; i++)
        if (strlen(p->table->specs[i].name) == length && memcmp(p->table->specs[i].name, name, length) == 0)
            spec = &p->table->specs[i];
    if (spec == NULL && is_help(name, length) && value == NULL) {
        *status = print_help(p->table);
        return false;
    }
    if (spec == NULL || length == 0) {
        near = args_nearest(name, length, spec_name, p->table->specs, p->table->count);
        out_complain(p->table->command, "unknown option '--%.*s'; %s%s%s", (int)length, name,
                     near != NULL ? "did you mean --" : "see cloche ", near != NULL ? near : p->table->command,
                     near != NULL ? "?" : " --help");
        return false;
    }
    snprintf(shown, sizeof shown, "--%s", spec->name);
    if (spec->type == ARG_FLAG && value != NULL) {
        out_complain(p->table->command, "%s: takes no value", shown);
        return false;
    }
    if (takes_value(spec) && value == NULL) {
        if (p->at + 1 >= p->argc) {
            out_complain(p->table->command, "%s: %s is missing", shown, spec->value);
            return false;
        }
        value = p->argv[++p->at];
    }
    return store(p, spec, shown, value);
}

/* -p, -pe CODE, -eCODE */
static bool parse_letters(parse *p, const char *arg, int *status)
{
    for (const char *letter = arg + 1; *letter != '\0'; letter++) {
        const arg_spec *spec = NULL;
        char shown[3] = { '-', *letter, '\0' };
        const char *value = NULL;

        for (size_t i = 0; i < p->table->count && spec == NULL; i++)
            if (p->table->specs[i].letter == *letter)
                spec = &p->table->specs[i];
        if (spec == NULL && *letter == 'h') {
            *status = print_help(p->table);
            return false;
        }
        if (spec == NULL) {
            out_complain(p->table->command, "unknown option '%s'; see cloche %s --help", shown, p->table->command);
            return false;
        }
        if (takes_value(spec)) {
            value = letter[1] != '\0' ? letter + 1 : p->at + 1 < p->argc ? p->argv[++p->at] : NULL;
            if (value == NULL) {
                out_complain(p->table->command, "%s: %s is missing", shown, spec->value);
                return false;
            }
        }
        if (!store(p, spec, shown, value))
            return false;
        if (takes_value(spec))
            return true;
    }
    return true;
}

bool args_parse(const arg_table *table, void *options, int *argc, char **argv, int *status)
{
    parse p = { .table = table, .options = options, .argc = *argc, .argv = argv, .at = 1 };
    int operands = 1;

    *status = EX_USAGE;
    for (; p.at < p.argc; p.at++) {
        char *arg = argv[p.at];

        if (strcmp(arg, "--") == 0) {
            while (++p.at < p.argc)
                argv[operands++] = argv[p.at];
            break;
        }
        if (arg[0] != '-' || arg[1] == '\0')
            argv[operands++] = arg;
        else if (!(arg[1] == '-' ? parse_long(&p, arg, status) : parse_letters(&p, arg, status)))
            return false;
    }
    *argc = operands;
    return true;
}
