#include "layers.h"

#include <stdio.h>
#include <string.h>

#include "json_text.h"

void layers_probe(layers *out)
{
    cloche_isolation_probe(out->layer, CLOCHE_LAYER_COUNT, &out->count, NULL);
}

void layers_text(const cloche_layer *layer, char *out, size_t size)
{
    if (layer->stands)
        snprintf(out, size, "stands");
    else if (layer->os_errno != 0)
        snprintf(out, size, "%s: %s", layer->step, strerror(layer->os_errno));
    else
        snprintf(out, size, "%s", layer->step);
}

static void add_member(buffer *out, const char *name, const char *text)
{
    if (text[0] == '\0')
        return;
    buffer_printf(out, ",\"%s\":", name);
    json_text_quote(text, strlen(text), out);
}

void layers_add_json(const layers *ladder, buffer *out)
{
    buffer_text(out, "[");
    for (uint32_t i = 0; i < ladder->count; i++) {
        const cloche_layer *layer = &ladder->layer[i];

        buffer_printf(out, "%s{\"name\":\"%s\",\"stands\":%s", i > 0 ? "," : "", layer->name,
                      layer->stands ? "true" : "false");
        if (layer->os_errno != 0) {
            buffer_printf(out, ",\"errno\":%d", layer->os_errno);
            add_member(out, "reason", strerror(layer->os_errno));
        }
        add_member(out, "step", layer->step);
        add_member(out, "remedy", layer->remedy);
        buffer_text(out, "}");
    }
    buffer_text(out, "]");
}

void layers_names(char *out, size_t size, uint32_t bits)
{
    static const struct {
        uint32_t bit;
        const char *name;
    } names[] = {
#define CLOCHE_X(name, wire, bit) { bit, wire },
        CLOCHE_LAYER_LIST(CLOCHE_X)
#undef CLOCHE_X
    };
    size_t length = 0;

    out[0] = '\0';
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if ((bits & names[i].bit) != 0 && length < size)
            length += (size_t)snprintf(out + length, size - length, "%s%s", length > 0 ? " " : "", names[i].name);
}
