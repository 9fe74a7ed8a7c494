#include <cloche/sandbox.h>
#include <cloche/status.h>

const char *cloche_status_name(cloche_status status)
{
    switch (status) {
#define CLOCHE_X(name, value, text) case CLOCHE_##name: return "CLOCHE_" #name;
        CLOCHE_STATUS_LIST(CLOCHE_X)
#undef CLOCHE_X
    }
    return "CLOCHE_E_UNKNOWN";
}

const char *cloche_status_text(cloche_status status)
{
    switch (status) {
#define CLOCHE_X(name, value, text) case CLOCHE_##name: return text;
        CLOCHE_STATUS_LIST(CLOCHE_X)
#undef CLOCHE_X
    }
    return "unknown status";
}

/* A code this library does not know is told as a failure of the host, never as success. */
const char *cloche_code_name(cloche_code code)
{
    switch (code) {
#define CLOCHE_X(name, wire, exit_code) case CLOCHE_CODE_##name: return wire;
        CLOCHE_CODE_LIST(CLOCHE_X)
#undef CLOCHE_X
    }
    return "SANDBOX_INTERNAL";
}

int cloche_code_exit(cloche_code code)
{
    switch (code) {
#define CLOCHE_X(name, wire, exit_code) case CLOCHE_CODE_##name: return exit_code;
        CLOCHE_CODE_LIST(CLOCHE_X)
#undef CLOCHE_X
    }
    return -1;
}

const char *cloche_version(void)
{
    return CLOCHE_VERSION;
}

const char *cloche_language_name(cloche_language language)
{
    switch (language) {
    case CLOCHE_LANGUAGE_AUTO: return "auto";
    case CLOCHE_LANGUAGE_JS: return "js";
    case CLOCHE_LANGUAGE_TS: return "ts";
    }
    return "unknown";
}

const char *cloche_kind_name(cloche_kind kind)
{
    switch (kind) {
    case CLOCHE_KIND_AUTO: return "auto";
    case CLOCHE_KIND_BODY: return "body";
    case CLOCHE_KIND_MODULE: return "module";
    case CLOCHE_KIND_FUNCTION: return "function";
    case CLOCHE_KIND_SCRIPT: return "script";
    }
    return "unknown";
}
