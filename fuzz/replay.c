/* replay.c - a corpus through a target, without a fuzzer
 *
 *   replay FOLDER DICTIONARY MUTANTS SEED
 *
 * Every file of the folder, then so many mutants of them: bytes changed, pieces taken out, doubled or exchanged between
 * files, words of the dictionary put in. The same seed makes the same mutants; one that fails is written to
 * fuzz-failure before it is tried.
 */
#include "fuzz.h"

#include <dirent.h>
#include <errno.h>
#include <string.h>

enum { FILES_MOST = 512, WORDS_MOST = 512, INPUT_MOST = 1 << 16 };

typedef struct input {
    uint8_t data[INPUT_MOST];
    size_t size;
} input;

static input *files[FILES_MOST];
static size_t file_count;
static char words[WORDS_MOST][32];
static size_t word_count;
static uint64_t state;

static uint32_t draw(uint32_t below)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return below == 0 ? 0 : (uint32_t)((state >> 11) % below);
}

_Noreturn static void fail(const char *what, const char *detail)
{
    fprintf(stderr, "replay: %s: %s\n", what, detail);
    exit(2);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void read_folder(const char *folder)
{
    struct dirent **names;
    int count = scandir(folder, &names, NULL, by_name);

    if (count < 0)
        fail(folder, strerror(errno));
    for (int i = 0; i < count; i++) {
        char path[4096];
        if (names[i]->d_name[0] == '.' || file_count == FILES_MOST)
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, names[i]->d_name);
        FILE *file = fopen(path, "rb");
        input *one = calloc(1, sizeof *one);
        if (file == NULL || one == NULL)
            fail(path, strerror(errno));
        one->size = fread(one->data, 1, sizeof one->data, file);
        fclose(file);
        files[file_count++] = one;
    }
    if (file_count == 0)
        fail(folder, "is empty");
}

static void read_words(const char *path)
{
    FILE *file = fopen(path, "r");

    if (file == NULL)
        fail(path, strerror(errno));
    while (word_count < WORDS_MOST && fgets(words[word_count], sizeof words[0], file) != NULL) {
        words[word_count][strcspn(words[word_count], "\n")] = '\0';
        word_count += words[word_count][0] != '\0';
    }
    fclose(file);
}

static void put_in(input *to, size_t at, const void *data, size_t size)
{
    if (to->size + size > INPUT_MOST)
        return;
    memmove(to->data + at + size, to->data + at, to->size - at);
    memcpy(to->data + at, data, size);
    to->size += size;
}

static void take_out(input *from, size_t at, size_t size)
{
    memmove(from->data + at, from->data + at + size, from->size - at - size);
    from->size -= size;
}

static void mutate(input *one)
{
    static uint8_t piece[INPUT_MOST];
    const input *other = files[draw((uint32_t)file_count)];
    size_t at = draw((uint32_t)one->size + 1), length = draw(40);

    if (length > one->size - at)
        length = one->size - at;
    switch (draw(6)) {
    case 0:
        if (at < one->size)
            one->data[at] = (uint8_t)draw(at == 0 ? 256 : 128);
        break;
    case 1:
        take_out(one, at, length);
        break;
    case 2:
        memcpy(piece, one->data + at, length);
        put_in(one, draw((uint32_t)one->size + 1), piece, length);
        break;
    case 3:
        put_in(one, at, " ", 1);
        if (word_count > 0) {
            const char *word = words[draw((uint32_t)word_count)];
            put_in(one, at, word, strlen(word));
        }
        put_in(one, at, " ", 1);
        break;
    case 4:
        at = at < other->size ? at : 0;
        length = length < other->size - at ? length : other->size - at;
        put_in(one, draw((uint32_t)one->size + 1), other->data + at, length);
        break;
    default:
        put_in(one, at, &"<>(){}[];,:?=`\n/"[draw(16)], 1);
    }
}

static void try(const input *one)
{
    FILE *file = fopen("fuzz-failure", "wb");

    if (file != NULL) {
        fwrite(one->data, 1, one->size, file);
        fclose(file);
    }
    fuzz_one(one->data, one->size);
}

int main(int argc, char **argv)
{
    static input mutant;

    if (argc != 5)
        fail("usage", "replay FOLDER DICTIONARY MUTANTS SEED");
    read_folder(argv[1]);
    read_words(argv[2]);
    state = strtoull(argv[4], NULL, 10) * UINT64_C(0x9E3779B97F4A7C15) + 1;
    for (size_t i = 0; i < file_count; i++)
        try(files[i]);
    long mutants = atol(argv[3]);
    for (long i = 0; i < mutants; i++) {
        mutant = *files[draw((uint32_t)file_count)];
        for (uint32_t times = 1 + draw(4); times > 0; times--)
            mutate(&mutant);
        try(&mutant);
    }
    remove("fuzz-failure");
    printf("%zu passed, 0 failed\n", file_count + (size_t)mutants);
    return 0;
}
