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

execute_process(COMMAND ${CLOCHE_WASM2C} --version OUTPUT_VARIABLE CLOCHE_WABT_VERSION
                OUTPUT_STRIP_TRAILING_WHITESPACE)

set(_module ${CLOCHE_ENGINE_BINARY}/node_modules/quickjs-wasi/quickjs.wasm)
add_custom_command(
    OUTPUT ${_module}
    COMMAND ${CMAKE_COMMAND} -E copy ${CLOCHE_ENGINE_SOURCE}/package.json ${CLOCHE_ENGINE_SOURCE}/package-lock.json
            ${CLOCHE_ENGINE_SOURCE}/.npmrc ${CLOCHE_ENGINE_BINARY}
    COMMAND ${CLOCHE_NPM} ci --silent --no-progress
    COMMAND ${CMAKE_COMMAND} -E touch ${_module}
    DEPENDS ${CLOCHE_ENGINE_SOURCE}/package.json ${CLOCHE_ENGINE_SOURCE}/package-lock.json
    WORKING_DIRECTORY ${CLOCHE_ENGINE_BINARY}
    COMMENT "Fetching the pinned engine module"
    VERBATIM)

set(_generated ${CLOCHE_ENGINE_BINARY}/quickjs_wasm.c)
set(CLOCHE_ENGINE_HEADER ${CLOCHE_ENGINE_BINARY}/quickjs_wasm.h)
add_custom_command(
    OUTPUT ${_generated} ${CLOCHE_ENGINE_HEADER}
    COMMAND ${CLOCHE_WASM2C} -n quickjs ${_module} -o ${_generated}
    DEPENDS ${_module}
    COMMENT "Translating the engine module to C"
    VERBATIM)

set(_guest ${CLOCHE_ENGINE_BINARY}/quickjs_guest.c)
add_custom_command(
    OUTPUT ${_guest}
    COMMAND ${CMAKE_COMMAND} -DMODULE=quickjs -DIN=${_generated} -DOUT=${_guest} -DWABT=${CLOCHE_WABT_VERSION}
            -P ${CMAKE_SOURCE_DIR}/src/guest/recipe.cmake
    DEPENDS ${_generated} ${CMAKE_SOURCE_DIR}/src/guest/recipe.cmake
    COMMENT "Rewriting memory access for the slot layout"
    VERBATIM)

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
