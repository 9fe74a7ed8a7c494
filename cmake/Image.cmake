# Image.cmake - starts the engine once, here, so that nobody who loads the library does

file(STRINGS ${CMAKE_SOURCE_DIR}/src/guest/prelude/order.txt CLOCHE_PRELUDE_FILES)
file(STRINGS ${CMAKE_SOURCE_DIR}/src/guest/prelude/late.txt CLOCHE_LATE_FILES)
list(REMOVE_ITEM CLOCHE_PRELUDE_FILES ${CLOCHE_LATE_FILES})
list(TRANSFORM CLOCHE_LATE_FILES PREPEND ${CMAKE_SOURCE_DIR}/src/guest/prelude/)
list(TRANSFORM CLOCHE_PRELUDE_FILES PREPEND ${CMAKE_SOURCE_DIR}/src/guest/prelude/)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
    ${CMAKE_SOURCE_DIR}/src/guest/prelude/order.txt ${CMAKE_SOURCE_DIR}/src/guest/prelude/late.txt)

add_executable(make_image tools/make_image.c $<TARGET_OBJECTS:cloche_isolate> ${CLOCHE_ENGINE_OBJECT})
cloche_host_target(make_image)
target_include_directories(make_image PRIVATE ${CLOCHE_ENGINE_INCLUDES})
add_dependencies(make_image cloche_engine_header cloche_engine)

set(CLOCHE_IMAGE_FILE ${CMAKE_BINARY_DIR}/cloche.image)
add_custom_command(
    OUTPUT ${CLOCHE_IMAGE_FILE}
    COMMAND make_image ${CLOCHE_IMAGE_FILE} ${CLOCHE_PRELUDE_FILES} --late ${CLOCHE_LATE_FILES}
    DEPENDS make_image ${CLOCHE_PRELUDE_FILES} ${CLOCHE_LATE_FILES}
    COMMENT "Building the image"
    VERBATIM)
set_source_files_properties(src/isolate/image_data.S PROPERTIES
    COMPILE_DEFINITIONS "CL_IMAGE_FILE=\"${CLOCHE_IMAGE_FILE}\"" OBJECT_DEPENDS ${CLOCHE_IMAGE_FILE})
add_custom_target(cloche_image DEPENDS ${CLOCHE_IMAGE_FILE})

if(CLOCHE_TYPESCRIPT)
    add_executable(make_typescript_image tools/make_typescript_image.c $<TARGET_OBJECTS:cloche_isolate>
        $<TARGET_OBJECTS:cloche_typescript>
        ${CLOCHE_ENGINE_OBJECT} ${CLOCHE_TS_OBJECTS})
    cloche_host_target(make_typescript_image)
    target_include_directories(make_typescript_image PRIVATE ${CLOCHE_ENGINE_INCLUDES})
    add_dependencies(make_typescript_image cloche_engine_header cloche_engine cloche_ts_header cloche_ts_objects)

    set(CLOCHE_TS_IMAGE_FILE ${CMAKE_BINARY_DIR}/typescript.image)
    add_custom_command(
        OUTPUT ${CLOCHE_TS_IMAGE_FILE}
        COMMAND make_typescript_image ${CLOCHE_TS_IMAGE_FILE} ${CLOCHE_TS_SOURCE}/sample.ts
        DEPENDS make_typescript_image ${CLOCHE_TS_SOURCE}/sample.ts
        COMMENT "Building the TypeScript module's image"
        VERBATIM)
    set_source_files_properties(src/isolate/typescript/data.S PROPERTIES
        COMPILE_DEFINITIONS "CL_TYPESCRIPT_IMAGE_FILE=\"${CLOCHE_TS_IMAGE_FILE}\"" OBJECT_DEPENDS ${CLOCHE_TS_IMAGE_FILE})
    add_custom_target(cloche_ts_image DEPENDS ${CLOCHE_TS_IMAGE_FILE})
endif()
