#include "isolate/typescript/cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BUCKETS = 256 };

typedef struct entry {
    struct entry *next;            /* of the bucket */
    struct entry *newer, *older;   /* by last use */
    uint64_t hash;
    cl_translation *translation;
    cloche_language language;
    cloche_kind kind;
    size_t length, bytes;
    char source[];
} entry;

struct cl_translation_cache {
    pthread_mutex_t lock;
    _Atomic uint32_t count;
    size_t bytes, most_bytes;
    entry *buckets[BUCKETS];
    entry *newest, *oldest;
};

/* Eight bytes at a time; whoever makes sources collide makes his own finding slow, no more: the source is compared. */
static uint64_t hash_of(const cl_run_request *request)
{
    uint64_t hash = request->code_length * UINT64_C(0x9E3779B97F4A7C15) + request->kind;
    const char *at = request->code;
    size_t rest = request->code_length;

    for (uint64_t word; rest > 0; at += sizeof word) {
        word = 0;
        size_t part = rest < sizeof word ? rest : sizeof word;
        memcpy(&word, at, part);
        rest -= part;
        hash = (hash ^ word) * UINT64_C(0xFF51AFD7ED558CCD);
        hash ^= hash >> 32;
    }
    return hash;
}

static bool is_for(const entry *e, uint64_t hash, const cl_run_request *request)
{
    return e->hash == hash && e->length == request->code_length && e->kind == request->kind &&
           e->language == request->language && memcmp(e->source, request->code, e->length) == 0;
}

static void unlink_use(cl_translation_cache *cache, entry *e)
{
    *(e->newer != NULL ? &e->newer->older : &cache->newest) = e->older;
    *(e->older != NULL ? &e->older->newer : &cache->oldest) = e->newer;
}

static void link_newest(cl_translation_cache *cache, entry *e)
{
    e->newer = NULL;
    e->older = cache->newest;
    *(cache->newest != NULL ? &cache->newest->newer : &cache->oldest) = e;
    cache->newest = e;
}

static void drop(cl_translation_cache *cache, entry *e)
{
    entry **at = &cache->buckets[e->hash % BUCKETS];

    while (*at != e)
        at = &(*at)->next;
    *at = e->next;
    unlink_use(cache, e);
    cache->bytes -= e->bytes;
    atomic_fetch_sub(&cache->count, 1);
    cl_translation_unref(e->translation);
    free(e);
}

cl_translation_cache *cl_translation_cache_create(size_t most_bytes)
{
    cl_translation_cache *cache = calloc(1, sizeof *cache);

    if (cache == NULL)
        return NULL;
    cache->most_bytes = most_bytes;
    pthread_mutex_init(&cache->lock, NULL);
    return cache;
}

void cl_translation_cache_destroy(cl_translation_cache *cache)
{
    if (cache == NULL)
        return;
    while (cache->oldest != NULL)
        drop(cache, cache->oldest);
    pthread_mutex_destroy(&cache->lock);
    free(cache);
}

static entry *find(cl_translation_cache *cache, uint64_t hash, const cl_run_request *request)
{
    entry *e = cache->buckets[hash % BUCKETS];

    while (e != NULL && !is_for(e, hash, request))
        e = e->next;
    return e;
}

cl_translation *cl_translation_cache_find(cl_translation_cache *cache, const cl_run_request *request)
{
    cl_translation *found = NULL;

    if (atomic_load_explicit(&cache->count, memory_order_relaxed) == 0)
        return NULL; /* JavaScript alone pays nothing */
    uint64_t hash = hash_of(request);
    pthread_mutex_lock(&cache->lock);
    entry *e = find(cache, hash, request);
    if (e != NULL) {
        found = cl_translation_ref(e->translation);
        unlink_use(cache, e);
        link_newest(cache, e);
    }
    pthread_mutex_unlock(&cache->lock);
    return found;
}

void cl_translation_cache_add(cl_translation_cache *cache, const cl_run_request *request, cl_translation *translation)
{
    size_t bytes = sizeof(entry) + sizeof *translation + request->code_length + translation->code_length +
                   translation->mappings_length;
    entry *e;

    if (bytes > cache->most_bytes / 4 || (e = malloc(sizeof *e + request->code_length)) == NULL)
        return;
    *e = (entry){.hash = hash_of(request), .language = request->language, .kind = request->kind,
                 .length = request->code_length, .bytes = bytes};
    if (e->length > 0)
        memcpy(e->source, request->code, e->length);
    pthread_mutex_lock(&cache->lock);
    entry *before = find(cache, e->hash, request);
    if (before != NULL)
        drop(cache, before);
    while (cache->bytes + bytes > cache->most_bytes)
        drop(cache, cache->oldest);
    e->translation = cl_translation_ref(translation);
    e->next = cache->buckets[e->hash % BUCKETS];
    cache->buckets[e->hash % BUCKETS] = e;
    link_newest(cache, e);
    cache->bytes += bytes;
    atomic_fetch_add(&cache->count, 1);
    pthread_mutex_unlock(&cache->lock);
}
