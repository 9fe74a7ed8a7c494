# recipe.cmake - what wasm2c wrote -> what this project compiles
#
#   cmake -DMODULE=quickjs -DIN=quickjs.c -DOUT=quickjs_guest.c -DWABT=1.0.32 -P recipe.cmake
#
# Each rule names the text it expects. A text that is not there means another wasm2c than the rules were written for:
# the build stops, since a rule that silently does nothing would move a wall.

file(READ "${IN}" text)

function(must_replace what from to)
    string(FIND "${text}" "${from}" at)
    if(at EQUAL -1)
        message(FATAL_ERROR "recipe of ${MODULE}: ${what}: the text it rewrites is not in what wasm2c ${WABT} wrote; "
                            "the rules in src/guest/recipe.cmake are for wabt 1.0.32 (Debian 12)")
    endif()
    string(REPLACE "${from}" "${to}" replaced "${text}")
    set(text "${replaced}" PARENT_SCOPE)
endfunction()

# 1. Memory lies CL_MEMORY_DISTANCE bytes behind &instance->w2c_memory: one addition instead of a load per access, and
#    no pointer that a guest could bend. Addresses are 33 bits wide; the reservation behind covers all of them.
must_replace("load accessor"
"    MEMCHECK(mem, addr, t1);                               \\
    t1 result;                                             \\
    wasm_rt_memcpy(&result, &mem->data[addr], sizeof(t1)); \\
    wasm_asm(\"\" ::\"r\"(result));                            \\
    return (t3)(t2)result;                                 \\"
"    t1 result;                                             \\
    wasm_rt_memcpy(&result, CL_GUEST_ADDRESS(mem, addr), sizeof(t1)); \\
    return (t3)(t2)result;                                 \\")
must_replace("store accessor"
"    MEMCHECK(mem, addr, t1);                                           \\
    t1 wrapped = (t1)value;                                            \\
    wasm_rt_memcpy(&mem->data[addr], &wrapped, sizeof(t1));            \\"
"    t1 wrapped = (t1)value;                                            \\
    wasm_rt_memcpy(CL_GUEST_ADDRESS(mem, addr), &wrapped, sizeof(t1)); \\")

# 2. One table serves all instances: its elements carry no instance. The first argument of an indirect call is that of
#    its element; the caller's own takes its place.
must_replace("indirect call"
"#define CALL_INDIRECT(table, t, ft, x, ...)             \\
  (LIKELY((x) < table.size && table.data[x].func &&     \\
          table.data[x].func_type == func_types[ft]) || \\
       TRAP(CALL_INDIRECT),                             \\
   ((t)table.data[x].func)(__VA_ARGS__))"
"#define CALL_INDIRECT(table, t, ft, x, element_instance, ...) \\
  (LIKELY((x) < table.size && table.data[x].func &&     \\
          table.data[x].func_type == func_types[ft]) || \\
       TRAP(CALL_INDIRECT),                             \\
   ((t)table.data[x].func)(instance, ##__VA_ARGS__))")
must_replace("table element"
"        func_types[src_expr->func_type_index], src_expr->func,
        (char*)module_instance + src_expr->module_offset};"
"        func_types[src_expr->func_type_index], src_expr->func};")

# 3. The engine tells when an allocation failed; otherwise it may only throw null, and guests can catch that.
if(MODULE STREQUAL quickjs)
    must_replace("out of memory"
"static u64 w2c_JS_ThrowOutOfMemory(Z_quickjs_instance_t* instance, u32 w2c_p0) {
"
"static u64 w2c_JS_ThrowOutOfMemory(Z_quickjs_instance_t* instance, u32 w2c_p0) {
  cl_guest_out_of_memory(instance);
")
endif()

# 4. Everything goes into a section of its own: a program counter in it is guest code, any other is not.
must_replace("section" "#define TRAP(x) (wasm_rt_trap(WASM_RT_TRAP_##x), 0)"
"#define CL_GUEST_ADDRESS(mem, addr) ((void*)((uintptr_t)(mem) + CL_MEMORY_DISTANCE + (addr)))
#pragma clang section text=\"guest_text\"
#define TRAP(x) (wasm_rt_trap(WASM_RT_TRAP_##x), 0)")

# 5. The table is built once per process, memory once per build, each without the other.
must_replace("table set-up" "static void init_tables(Z_${MODULE}_instance_t* instance) {"
                            "static void init_tables(Z_${MODULE}_instance_t* instance) {")
string(APPEND text "
void cl_${MODULE}_build_table(Z_${MODULE}_instance_t* instance);
void cl_${MODULE}_build_table(Z_${MODULE}_instance_t* instance) {
  Z_${MODULE}_init_module();
  init_tables(instance);
}

void cl_${MODULE}_init_memory(Z_${MODULE}_instance_t* instance);
void cl_${MODULE}_init_memory(Z_${MODULE}_instance_t* instance) {
  init_globals(instance);
  init_memories(instance);
}
")

# 6. A large module is compiled as two parts at the same time (CL_PART 0 and 1): all names are known to both, each keeps
#    half of the functions. The numbers of the function types are the first part's.
if(SPLIT)
    foreach(_type void u32 u64 f32 f64)
        string(REPLACE "static ${_type} w2c_" "${_type} w2c_" text "${text}")
    endforeach()
    string(REGEX MATCH "static u32 func_types\\[[0-9]+\\];" _types "${text}")
    string(REPLACE "static " "" _types "${_types}")
    must_replace("function types" "static ${_types}"
"#define func_types cl_${MODULE}_func_types
#if CL_PART == 0
${_types}
#else
extern ${_types}
#endif")
    string(LENGTH "${text}" _length)
    math(EXPR _half "${_length} * 16 / 25") # what comes first compiles faster
    string(SUBSTRING "${text}" 0 ${_half} _first)
    string(SUBSTRING "${text}" ${_half} -1 _second)
    string(FIND "${text}" "static void init_elem_instances" _functions)
    string(FIND "${_second}" "\n}\n\n" _between)
    if(_functions EQUAL -1 OR _between EQUAL -1 OR _functions GREATER _half)
        message(FATAL_ERROR "recipe of ${MODULE}: split: what wasm2c ${WABT} wrote is ordered in another way")
    endif()
    math(EXPR _between "${_between} + 3")
    math(EXPR _between "${_half} + ${_between}")
    string(SUBSTRING "${text}" ${_functions} -1 _rest)
    string(FIND "${_rest}" "\n}\n" _at)
    math(EXPR _functions "${_functions} + ${_at} + 3")
    math(EXPR _count "${_between} - ${_functions}")
    string(SUBSTRING "${text}" 0 ${_functions} _head)
    string(SUBSTRING "${text}" ${_functions} ${_count} _first)
    string(SUBSTRING "${text}" ${_between} -1 _second)
    set(text "${_head}#if CL_PART == 0\n${_first}#else\n${_second}#endif\n")
endif()

file(WRITE "${OUT}" "${text}")
