# Guest.cmake - from a pinned npm package to C that can be compiled: what both modules go through

execute_process(COMMAND ${CLOCHE_WASM2C} --version OUTPUT_VARIABLE CLOCHE_WABT_VERSION
                OUTPUT_STRIP_TRAILING_WHITESPACE)

# npm ci in FOLDER with the package and lock file (integrity hash) of SOURCE, then COMMAND..., which make OUTPUT.
function(cloche_guest_fetch output source folder)
    cmake_parse_arguments(ARG "" "COMMENT" "COMMAND;DEPENDS" ${ARGN})
    add_custom_command(
        OUTPUT ${output}
        COMMAND ${CMAKE_COMMAND} -E copy ${source}/package.json ${source}/package-lock.json ${source}/.npmrc ${folder}
        COMMAND ${CLOCHE_NPM} ci --silent --no-progress
        COMMAND ${ARG_COMMAND}
        DEPENDS ${source}/package.json ${source}/package-lock.json ${ARG_DEPENDS}
        WORKING_DIRECTORY ${folder}
        COMMENT "${ARG_COMMENT}"
        VERBATIM)
endfunction()

# wasm2c and the recipe: MODULE.wasm to FOLDER/NAME_wasm.h and FOLDER/NAME_guest.c.
function(cloche_guest_translate name module folder)
    set(recipe ${CMAKE_SOURCE_DIR}/src/guest/recipe.cmake)
    add_custom_command(
        OUTPUT ${folder}/${name}_wasm.c ${folder}/${name}_wasm.h
        COMMAND ${CLOCHE_WASM2C} -n ${name} ${module} -o ${folder}/${name}_wasm.c
        DEPENDS ${module}
        COMMENT "Translating ${name} to C"
        VERBATIM)
    add_custom_command(
        OUTPUT ${folder}/${name}_guest.c
        COMMAND ${CMAKE_COMMAND} -DMODULE=${name} ${ARGN} -DIN=${folder}/${name}_wasm.c -DOUT=${folder}/${name}_guest.c
                -DWABT=${CLOCHE_WABT_VERSION} -P ${recipe}
        DEPENDS ${folder}/${name}_wasm.c ${recipe}
        COMMENT "Rewriting memory access of ${name} for the slot layout"
        VERBATIM)
endfunction()
