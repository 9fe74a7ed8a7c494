/* layers.h - the ladder of isolation on this machine, as the doctor tells it
 *
 * One entry per layer of the process backend's jail: it stands, or the step that failed, the system's reason, and what
 * to do about it.
 */
#ifndef CLI_LAYERS_H
#define CLI_LAYERS_H

#include <stddef.h>
#include <stdint.h>

#include <cloche/isolation.h>

#include "buffer.h"

typedef struct layers {
    cloche_layer layer[CLOCHE_LAYER_COUNT];
    uint32_t count; /* 0: no jail at all can be made; the process backend has said why */
} layers;

void layers_probe(layers *out);

/* "stands", or "unshare(CLONE_NEWUSER): Operation not permitted". */
void layers_text(const cloche_layer *layer, char *out, size_t size);
void layers_add_json(const layers *ladder, buffer *out);

/* "sfi userns pidns" */
void layers_names(char *out, size_t size, uint32_t bits);

#endif
