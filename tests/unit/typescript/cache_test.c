/* Translations that are kept: found by the whole source and what was asked, bounded, the least recently used goes. */
#include "isolate/typescript/cache.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "../alloc_fail.h"
#include "../runner.h"

static cl_run_request request_of(const char *code)
{
    return (cl_run_request){.code = code, .code_length = strlen(code), .language = CLOCHE_LANGUAGE_TS};
}

static void add(cl_translation_cache *cache, const cl_run_request *request, const char *code)
{
    cl_translation *made = cl_translation_new(&(cl_translation){.code = (char *)code, .code_length = strlen(code)});

    ck_assert_ptr_nonnull(made);
    cl_translation_cache_add(cache, request, made);
    cl_translation_unref(made);
}

static bool knows(cl_translation_cache *cache, const cl_run_request *request, const char *code)
{
    cl_translation *found = cl_translation_cache_find(cache, request);
    bool is_it = found != NULL && strcmp(found->code, code) == 0;

    cl_translation_unref(found);
    return is_it;
}

START_TEST(what_was_added_is_found_by_all_that_was_asked)
{
    cl_translation_cache *cache = cl_translation_cache_create(1 << 20);
    cl_run_request request = request_of("let a: number"), other = request;

    ck_assert_ptr_null(cl_translation_cache_find(cache, &request));
    add(cache, &request, "one");
    ck_assert(knows(cache, &request, "one"));
    other.kind = CLOCHE_KIND_MODULE;
    ck_assert_ptr_null(cl_translation_cache_find(cache, &other));
    other = request;
    other.language = CLOCHE_LANGUAGE_AUTO;
    ck_assert_ptr_null(cl_translation_cache_find(cache, &other));
    other = request;
    other.code_length--;
    ck_assert_ptr_null(cl_translation_cache_find(cache, &other));
    add(cache, &request, "two");
    ck_assert(knows(cache, &request, "two"));
    cl_translation_cache_destroy(cache);
}
END_TEST

START_TEST(an_empty_source_is_one_too)
{
    cl_translation_cache *cache = cl_translation_cache_create(1 << 20);
    cl_run_request request = request_of("");

    add(cache, &request, "");
    ck_assert(knows(cache, &request, ""));
    cl_translation_cache_destroy(cache);
}
END_TEST

START_TEST(the_least_recently_used_goes_when_it_is_full)
{
    enum { COUNT = 100 };
    static char sources[COUNT][1000];
    cl_translation_cache *cache = cl_translation_cache_create(20000);
    unsigned kept = 0;

    for (int i = 0; i < COUNT; i++) {
        snprintf(sources[i], sizeof sources[i], "%d %900d", i, 0);
        cl_run_request request = request_of(sources[i]), first = request_of(sources[0]);
        add(cache, &request, "code");
        ck_assert(knows(cache, &first, "code")); /* asked for each time, so it stays */
    }
    for (int i = 0; i < COUNT; i++) {
        cl_run_request request = request_of(sources[i]);
        kept += knows(cache, &request, "code");
    }
    ck_assert_uint_ge(kept, 10);
    ck_assert_uint_le(kept, 21);
    cl_run_request last = request_of(sources[COUNT - 1]), old = request_of(sources[1]);
    ck_assert(knows(cache, &last, "code"));
    ck_assert(!knows(cache, &old, "code"));
    cl_translation_cache_destroy(cache);
}
END_TEST

START_TEST(what_would_take_a_quarter_is_not_kept)
{
    static char source[3000];
    cl_translation_cache *cache = cl_translation_cache_create(10000);

    memset(source, 'x', sizeof source - 1);
    cl_run_request request = request_of(source), small = request_of("small");
    add(cache, &small, "code");
    add(cache, &request, "code");
    ck_assert(!knows(cache, &request, "code"));
    ck_assert(knows(cache, &small, "code"));
    cl_translation_cache_destroy(cache);
}
END_TEST

START_TEST(a_lent_translation_outlives_its_place)
{
    cl_translation_cache *cache = cl_translation_cache_create(1 << 20);
    cl_run_request request = request_of("source");

    add(cache, &request, "code");
    cl_translation *lent = cl_translation_cache_find(cache, &request);
    cl_translation_cache_destroy(cache);
    ck_assert_str_eq(lent->code, "code");
    cl_translation_unref(lent);
}
END_TEST

START_TEST(without_memory_nothing_is_kept_and_nothing_lost)
{
    cl_translation_cache *cache = cl_translation_cache_create(1 << 20);
    cl_run_request request = request_of("source");
    cl_translation *made = cl_translation_new(&(cl_translation){.code = (char *)"code", .code_length = 4});

    alloc_fail_at(1);
    cl_translation_cache_add(cache, &request, made);
    ck_assert(alloc_fail_end());
    ck_assert_ptr_null(cl_translation_cache_find(cache, &request));
    ck_assert_str_eq(made->code, "code");
    for (long n = 1; n <= 3; n++) {
        alloc_fail_at(n);
        cl_translation *none = cl_translation_new(&(cl_translation){.code = (char *)"c", .code_length = 1, .mappings = (char *)"m", .mappings_length = 1});
        ck_assert(alloc_fail_end());
        ck_assert_ptr_null(none);
    }
    cl_translation_unref(made);
    cl_translation_cache_destroy(cache);
}
END_TEST

static void *use(void *user)
{
    cl_translation_cache *cache = user;

    for (int i = 0; i < 20000; i++) {
        char source[64], code[64];
        snprintf(source, sizeof source, "source %d", i % 50);
        snprintf(code, sizeof code, "code %d", i % 50);
        cl_run_request request = request_of(source);
        cl_translation *found = cl_translation_cache_find(cache, &request);
        if (found == NULL)
            add(cache, &request, code);
        else if (strcmp(found->code, code) != 0)
            return (void *)1;
        cl_translation_unref(found);
    }
    return NULL;
}

START_TEST(threads_share_it)
{
    cl_translation_cache *cache = cl_translation_cache_create(8000); /* fewer than fifty fit */
    pthread_t threads[4];
    void *wrong;

    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, use, cache), 0);
    for (int i = 0; i < 4; i++) {
        pthread_join(threads[i], &wrong);
        ck_assert_ptr_null(wrong);
    }
    cl_translation_cache_destroy(cache);
}
END_TEST

TEST_MAIN("unit/typescript/cache", what_was_added_is_found_by_all_that_was_asked, an_empty_source_is_one_too,
          the_least_recently_used_goes_when_it_is_full, what_would_take_a_quarter_is_not_kept,
          a_lent_translation_outlives_its_place, without_memory_nothing_is_kept_and_nothing_lost, threads_share_it)
