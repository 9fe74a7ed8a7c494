# Engine.cmake - the pinned module -> C -> one object
#
# npm ci (integrity hash) -> wasm2c -> recipe.cmake -> clang -O3 -> references to the C library renamed. Each step is
# made again only when what it reads has changed; the compiler runs under ccache where there is one.

set(CLOCHE_ENGINE_SOURCE ${CMAKE_SOURCE_DIR}/src/guest/engine)
set(CLOCHE_ENGINE_BINARY ${CMAKE_BINARY_DIR}/engine)
set(CLOCHE_ENGINE_INCLUDES ${CLOCHE_ENGINE_BINARY})
set(CLOCHE_MEMORY_DISTANCE 3968)
file(MAKE_DIRECTORY ${CLOCHE_ENGINE_BINARY})
configure_file(${CLOCHE_ENGINE_SOURCE}/wasm-rt.h ${CLOCHE_ENGINE_BINARY}/wasm-rt.h COPYONLY)

set(_module ${CLOCHE_ENGINE_BINARY}/node_modules/quickjs-wasi/quickjs.wasm)
cloche_guest_fetch(${_module} ${CLOCHE_ENGINE_SOURCE} ${CLOCHE_ENGINE_BINARY}
    COMMAND ${CMAKE_COMMAND} -E touch ${_module} COMMENT "Fetching the pinned engine module")
cloche_guest_translate(quickjs ${_module} ${CLOCHE_ENGINE_BINARY})
set(_guest ${CLOCHE_ENGINE_BINARY}/quickjs_guest.c)
set(CLOCHE_ENGINE_HEADER ${CLOCHE_ENGINE_BINARY}/quickjs_wasm.h)

set(CLOCHE_ENGINE_OBJECT ${CLOCHE_ENGINE_BINARY}/engine.o)
# Semantics of the module are kept: no strict aliasing, wrapping arithmetic, exact NaN and rounding.
set(_flags -O3 -fPIC -fvisibility=hidden -fno-strict-aliasing -fwrapv -fno-math-errno -w
    -DCL_MEMORY_DISTANCE=${CLOCHE_MEMORY_DISTANCE})
set(CLOCHE_GUEST_RENAMES "")
foreach(_name memcpy memmove memset floor ceil trunc nearbyint)
    list(APPEND CLOCHE_GUEST_RENAMES --redefine-sym ${_name}=cl_guest_${_name})
endforeach()
# Compiled in its folder, by relative names: a compiler cache then serves any clone of the project.
add_custom_command(
    OUTPUT ${CLOCHE_ENGINE_OBJECT}
    COMMAND ${CLOCHE_CCACHE} ${CLOCHE_CLANG} ${_flags} -I. -c quickjs_guest.c -o engine_raw.o
    COMMAND ${CLOCHE_OBJCOPY} ${CLOCHE_GUEST_RENAMES} engine_raw.o ${CLOCHE_ENGINE_OBJECT}
    DEPENDS ${_guest} ${CLOCHE_ENGINE_HEADER} ${CLOCHE_ENGINE_BINARY}/wasm-rt.h
    WORKING_DIRECTORY ${CLOCHE_ENGINE_BINARY}
    COMMENT "Compiling the engine (about a minute, once)"
    VERBATIM)
set_source_files_properties(${CLOCHE_ENGINE_OBJECT} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)

add_custom_target(cloche_engine_header DEPENDS ${CLOCHE_ENGINE_HEADER})
add_custom_target(cloche_engine DEPENDS ${CLOCHE_ENGINE_OBJECT})
