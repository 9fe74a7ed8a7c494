# recipe.cmake - what wasm2c wrote -> what this project compiles
#
#   cmake -DIN=quickjs.c -DOUT=quickjs_guest.c -DWABT=1.0.32 -P recipe.cmake
#
# Each rule names the text it expects. A text that is not there means another wasm2c than the rules were written for:
# the build stops, since a rule that silently does nothing would move a wall.

file(READ "${IN}" text)

function(must_replace what from to)
    string(FIND "${text}" "${from}" at)
    if(at EQUAL -1)
        message(FATAL_ERROR "engine recipe: ${what}: the text it rewrites is not in what wasm2c ${WABT} wrote; "
                            "the rules in src/guest/engine/recipe.cmake are for wabt 1.0.32 (Debian 12)")
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

# 2. One table serves all instances: its elements carry no instance, callers pass their own.
string(REGEX REPLACE "instance->w2c___indirect_function_table\\.data\\[w2c_[a-z][0-9]+\\]\\.module_instance"
       "instance" text "${text}")
string(FIND "${text}" "].module_instance" at)
if(NOT at EQUAL -1)
    message(FATAL_ERROR "engine recipe: indirect call: a call of another shape in what wasm2c ${WABT} wrote")
endif()
must_replace("indirect call" "data[x].func_type == func_types[ft]" "data[x].func_type == func_types[ft]")
must_replace("table element"
"        func_types[src_expr->func_type_index], src_expr->func,
        (char*)module_instance + src_expr->module_offset};"
"        func_types[src_expr->func_type_index], src_expr->func};")

# 3. The engine tells when an allocation failed; otherwise it may only throw null, and guests can catch that.
must_replace("out of memory"
"static u64 w2c_JS_ThrowOutOfMemory(Z_quickjs_instance_t* instance, u32 w2c_p0) {
"
"static u64 w2c_JS_ThrowOutOfMemory(Z_quickjs_instance_t* instance, u32 w2c_p0) {
  cl_guest_out_of_memory(instance);
")

# 4. Everything goes into a section of its own: a program counter in it is guest code, any other is not.
must_replace("section" "#define TRAP(x) (wasm_rt_trap(WASM_RT_TRAP_##x), 0)"
"#define CL_GUEST_ADDRESS(mem, addr) ((void*)((uintptr_t)(mem) + CL_MEMORY_DISTANCE + (addr)))
#pragma clang section text=\"guest_text\"
#define TRAP(x) (wasm_rt_trap(WASM_RT_TRAP_##x), 0)")

# 5. The table is built once per process, memory once per build, each without the other.
must_replace("table set-up" "static void init_tables(Z_quickjs_instance_t* instance) {"
                            "static void init_tables(Z_quickjs_instance_t* instance) {")
string(APPEND text "
void cl_engine_build_table(Z_quickjs_instance_t* instance);
void cl_engine_build_table(Z_quickjs_instance_t* instance) {
  Z_quickjs_init_module();
  init_tables(instance);
}

void cl_engine_init_memory(Z_quickjs_instance_t* instance);
void cl_engine_init_memory(Z_quickjs_instance_t* instance) {
  init_globals(instance);
  init_memories(instance);
}
")

file(WRITE "${OUT}" "${text}")
