# TypeScript.cmake - swc's TypeScript module -> C -> object -> image, on the engine's road
#
# npm ci (integrity hash) -> extract.mjs -> wasm2c -> recipe.cmake -> clang -O2 in two parts -> references to the C library
# renamed. Measured here: 100 s of CPU at -O1, 126 at -O2, 111 at -O3; the same speed and size within noise.

set(CLOCHE_TS_SOURCE ${CMAKE_SOURCE_DIR}/src/guest/typescript)
set(CLOCHE_TS_BINARY ${CMAKE_BINARY_DIR}/typescript)
file(MAKE_DIRECTORY ${CLOCHE_TS_BINARY})
configure_file(${CLOCHE_ENGINE_SOURCE}/wasm-rt.h ${CLOCHE_TS_BINARY}/wasm-rt.h COPYONLY)

set(_module ${CLOCHE_TS_BINARY}/swc.wasm)
cloche_guest_fetch(${_module} ${CLOCHE_TS_SOURCE} ${CLOCHE_TS_BINARY}
    COMMAND ${CLOCHE_NODE} ${CLOCHE_TS_SOURCE}/extract.mjs node_modules/@swc/wasm-typescript/wasm.js ${_module}
    DEPENDS ${CLOCHE_TS_SOURCE}/extract.mjs COMMENT "Fetching the pinned TypeScript module")
cloche_guest_translate(swc ${_module} ${CLOCHE_TS_BINARY} -DSPLIT=1)
set(_guest ${CLOCHE_TS_BINARY}/swc_guest.c)
set(CLOCHE_TS_HEADER ${CLOCHE_TS_BINARY}/swc_wasm.h)

set(CLOCHE_TS_UNREACHED ${CLOCHE_TS_BINARY}/unreached.c)
add_custom_command(
    OUTPUT ${CLOCHE_TS_UNREACHED}
    COMMAND ${CMAKE_COMMAND} -DHEADER=${CLOCHE_TS_HEADER} -DLIST=${CLOCHE_TS_SOURCE}/imports.txt
            -DOUT=${CLOCHE_TS_UNREACHED} -P ${CLOCHE_TS_SOURCE}/stubs.cmake
    DEPENDS ${CLOCHE_TS_HEADER} ${CLOCHE_TS_SOURCE}/imports.txt ${CLOCHE_TS_SOURCE}/stubs.cmake
    COMMENT "Comparing the TypeScript module's imports with the list"
    VERBATIM)

set(_flags -O2 -fPIC -fvisibility=hidden -fno-strict-aliasing -fwrapv -fno-math-errno -w
    -DCL_MEMORY_DISTANCE=${CLOCHE_MEMORY_DISTANCE} -Dwasm_rt_allocate_funcref_table=cl_typescript_allocate_table)
set(CLOCHE_TS_OBJECTS "")
foreach(_part 0 1)
    set(_object ${CLOCHE_TS_BINARY}/swc_${_part}.o)
    add_custom_command(
        OUTPUT ${_object}
        COMMAND ${CLOCHE_CCACHE} ${CLOCHE_CLANG} ${_flags} -DCL_PART=${_part} -I. -c swc_guest.c -o swc_raw_${_part}.o
        COMMAND ${CLOCHE_OBJCOPY} ${CLOCHE_GUEST_RENAMES} swc_raw_${_part}.o ${_object}
        DEPENDS ${_guest} ${CLOCHE_TS_HEADER} ${CLOCHE_TS_BINARY}/wasm-rt.h
        WORKING_DIRECTORY ${CLOCHE_TS_BINARY}
        COMMENT "Compiling the TypeScript module, part ${_part} (about a minute, once)"
        VERBATIM)
    list(APPEND CLOCHE_TS_OBJECTS ${_object})
endforeach()
set_source_files_properties(${CLOCHE_TS_OBJECTS} PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
add_custom_target(cloche_ts_header DEPENDS ${CLOCHE_TS_HEADER} ${CLOCHE_TS_UNREACHED})
add_custom_target(cloche_ts_objects DEPENDS ${CLOCHE_TS_OBJECTS})
