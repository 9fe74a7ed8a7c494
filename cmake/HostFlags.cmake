# HostFlags.cmake - how host code is compiled: everything that is not the generated engine

find_package(Threads REQUIRED)

set(CLOCHE_HOST_WARNINGS -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith -Wvla
    -Wimplicit-fallthrough -Wformat=2)

# PLAIN: without sanitizers, for the program of the jail, which is linked statically and may call little.
function(cloche_host_target target)
    cmake_parse_arguments(ARG "PLAIN" "" "" ${ARGN})
    set_target_properties(${target} PROPERTIES C_STANDARD 11 C_EXTENSIONS ON POSITION_INDEPENDENT_CODE ON
                          C_VISIBILITY_PRESET hidden)
    target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/include ${CMAKE_SOURCE_DIR}/src)
    target_compile_definitions(${target} PRIVATE _GNU_SOURCE)
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:C>:${CLOCHE_HOST_WARNINGS}>
                           -fstack-protector-strong -fno-strict-aliasing -ftls-model=initial-exec)
    if(CLOCHE_WERROR)
        target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:C>:-Werror>)
    endif()
    if(CLOCHE_SANITIZE AND NOT ARG_PLAIN)
        target_compile_options(${target} PRIVATE -fsanitize=${CLOCHE_SANITIZE} -fno-omit-frame-pointer
                               -fno-sanitize-recover=all)
        target_link_options(${target} PUBLIC -fsanitize=${CLOCHE_SANITIZE})
    elseif(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
        target_compile_options(${target} PRIVATE -U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
    endif()
    target_link_libraries(${target} PUBLIC Threads::Threads m)
endfunction()
