/* What a source may be: each kind, modules, and what is not there. */
#include "api.h"

/* ---- kinds ---- */

START_TEST(each_kind_has_its_value)
{
    static const struct {
        cloche_kind kind;
        const char *code, *value; /* NULL: SANDBOX_INVALID_CODE */
    } kinds[] = {
        {CLOCHE_KIND_AUTO, "return context.n", "5"},
        {CLOCHE_KIND_AUTO, "export default context.n", "5"},
        {CLOCHE_KIND_AUTO, "export default ({n}) => n + 1", "6"},
        {CLOCHE_KIND_AUTO, "export default async function (c) { await 1; return c.n }", "5"},
        {CLOCHE_KIND_AUTO, "export const a = 1, b = n; export function f() {}", "{\"a\":1,\"b\":5}"},
        {CLOCHE_KIND_AUTO, "import {format} from 'node:util'; export default format('%d', n)", "\"5\""},
        {CLOCHE_KIND_BODY, "return await n", "5"},
        {CLOCHE_KIND_BODY, "export default 1", NULL},
        {CLOCHE_KIND_BODY, "}, async function () {", NULL},
        {CLOCHE_KIND_BODY, "return 1 }) ; (function () {", NULL},
        {CLOCHE_KIND_MODULE, "export default n", "5"},
        {CLOCHE_KIND_MODULE, "const x = await n; export {x as default}", "5"},
        {CLOCHE_KIND_MODULE, "return 1", NULL},
        {CLOCHE_KIND_MODULE, "n", "{}"},
        {CLOCHE_KIND_FUNCTION, "c => c.n * 2", "10"},
        {CLOCHE_KIND_FUNCTION, "async ({n}) => { await null; return n }", "5"},
        {CLOCHE_KIND_FUNCTION, "function f(c) { return c.n }", "5"},
        {CLOCHE_KIND_FUNCTION, "42", NULL},
        {CLOCHE_KIND_FUNCTION, "return 1", NULL},
        {CLOCHE_KIND_SCRIPT, "n + 1", "6"},
        {CLOCHE_KIND_SCRIPT, "var a = 2; if (a) { a * 3 }", "6"},
        {CLOCHE_KIND_SCRIPT, "Promise.resolve(n)", "5"},
        {CLOCHE_KIND_SCRIPT, "return 1", NULL},
        {CLOCHE_KIND_SCRIPT, "export default 1", NULL},
    };
    cloche_sandbox *sandbox = open_sandbox();

    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        cloche_result *result = run(sandbox, with_context(ask_kind(kinds[i].code, kinds[i].kind), "{\"n\":5}"));
        const char *name = text_of("%s: %s", cloche_kind_name(kinds[i].kind), kinds[i].code);
        if (kinds[i].value == NULL)
            ck_assert_msg(result->code == CLOCHE_CODE_INVALID_CODE, "%s: %s %s", name, shown(result->value), shown(result->error));
        else
            ck_assert_msg(result->ok && result->value.data != NULL && strcmp(result->value.data, kinds[i].value) == 0, "%s: %s %s", name,
                          shown(result->value), shown(result->error));
        cloche_result_destroy(result);
    }
    cloche_sandbox_destroy(sandbox);
}
END_TEST

/* A function as the source is one expression: nothing may follow or run beside it. */
START_TEST(a_function_that_is_more_than_one_expression_is_invalid)
{
    static const char *const codes[] = {
        "() => 1); (() => 2",
        "() => 1, console.log('beside')",
        "console.log('beside'), () => 1",
        "() => 1; console.log('beside')",
    };
    cloche_sandbox *sandbox = open_sandbox();

    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
        cloche_result *result = run(sandbox, ask_kind(codes[i], CLOCHE_KIND_FUNCTION));
        ck_assert_msg(result->code == CLOCHE_CODE_INVALID_CODE, "%s: %s %s", codes[i], shown(result->value), shown(result->error));
        ck_assert_msg(result->out.data == NULL || result->out.length == 0, "%s printed %s", codes[i], result->out.data);
        cloche_result_destroy(result);
    }
    cloche_sandbox_destroy(sandbox);
}
END_TEST

/* ---- modules ---- */

START_TEST(builtin_modules_are_there_by_both_names)
{
    cloche_sandbox *sandbox = open_sandbox();

    expect_value(sandbox, "import {inspect} from 'node:util'; export default inspect({a: 1})", "\"{ a: 1 }\"");
    expect_value(sandbox, "import util from 'util'; export default util.format('%s', 'x')", "\"x\"");
    expect_value(sandbox, "import * as path from 'node:path'; export default [path.join('a', '..', 'b'), path.default.basename('/x/y')]", "[\"b\",\"y\"]");
    expect_value(sandbox, "return require('node:util') === require('util')", "true");
    expect_value(sandbox, "const u = await import('node:util'); return u.default.format('%d', 3)", "\"3\"");
    expect_value(sandbox, "const {EventEmitter} = require('events'); let n = 0; const e = new EventEmitter(); e.on('x', v => n = v); e.emit('x', 4); return n", "4");
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(modules_that_are_not_allowed_or_unknown_say_so)
{
    static const struct {
        const char *code, *value;
    } refused[] = {
        {"try { require('fs') } catch (e) { return e.code }", "\"ERR_ACCESS_DENIED\""},
        {"try { require('node:fs/promises') } catch (e) { return e.code }", "\"ERR_ACCESS_DENIED\""},
        {"try { require('child_process') } catch (e) { return e.code }", "\"ERR_ACCESS_DENIED\""},
        {"try { await import('node:fs') } catch (e) { return e.code }", "\"ERR_ACCESS_DENIED\""},
        {"try { await import('net') } catch (e) { return e.code }", "\"ERR_ACCESS_DENIED\""},
        {"try { require('lodash') } catch (e) { return e.code }", "\"MODULE_NOT_FOUND\""},
        {"try { require('./x.js') } catch (e) { return e.code }", "\"MODULE_NOT_FOUND\""},
        {"try { await import('../../etc/passwd') } catch (e) { return e.code }", "\"MODULE_NOT_FOUND\""},
        {"try { await import('node:nope') } catch (e) { return e.code }", "\"MODULE_NOT_FOUND\""},
        {"try { require('__proto__') } catch (e) { return e.code }", "\"MODULE_NOT_FOUND\""},
        {"try { require('constructor') } catch (e) { return e.code }", "\"MODULE_NOT_FOUND\""},
    };
    cloche_sandbox *sandbox = open_sandbox();

    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        cloche_result *result = run(sandbox, ask(refused[i].code));
        ck_assert_msg(result->ok && result->value.data != NULL && strcmp(result->value.data, refused[i].value) == 0, "%s: %s %s", refused[i].code,
                      shown(result->value), shown(result->error));
        cloche_result_destroy(result);
    }
    cloche_sandbox_destroy(sandbox);
}
END_TEST

START_TEST(a_static_import_that_is_refused_says_which_and_why)
{
    static const struct {
        const char *code, *text;
    } refused[] = {
        {"import fs from 'fs'; export default 1", "access denied"},
        {"import {readFile} from 'node:fs/promises'; export default 1", "access denied"},
        {"import x from 'nope'; export default x", "nope"},
        {"export {y} from './other.js'", "other.js"},
        {"import {noSuchName} from 'node:util'; export default 1", "noSuchName"},
    };
    cloche_sandbox *sandbox = open_sandbox();

    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++)
        for (int forced = 0; forced < 2; forced++) {
            cloche_result *result = run(sandbox, ask_kind(refused[i].code, forced ? CLOCHE_KIND_MODULE : CLOCHE_KIND_AUTO));
            ck_assert_msg(!result->ok && strstr(result->error.data, refused[i].text) != NULL, "%s (%s): %s %s", refused[i].code,
                          forced ? "module" : "auto", shown(result->value), shown(result->error));
            cloche_result_destroy(result);
        }
    cloche_sandbox_destroy(sandbox);
}
END_TEST

/* ---- what is not there ---- */

START_TEST(nothing_of_the_host_is_reachable)
{
    cloche_sandbox *sandbox = open_sandbox();

    expect_value(sandbox, "return [typeof WebAssembly, typeof SharedArrayBuffer, typeof std, typeof os, typeof bjson, typeof scriptArgs, typeof print]",
                 "[\"undefined\",\"undefined\",\"undefined\",\"undefined\",\"undefined\",\"undefined\",\"undefined\"]");
    expect_value(sandbox, "return [JSON.stringify(process.env), typeof globalThis.global]", "[\"{}\",\"object\"]");
    cloche_sandbox_destroy(sandbox);
}
END_TEST

TEST_MAIN("api/forms", each_kind_has_its_value, a_function_that_is_more_than_one_expression_is_invalid,
          builtin_modules_are_there_by_both_names, modules_that_are_not_allowed_or_unknown_say_so,
          a_static_import_that_is_refused_says_which_and_why, nothing_of_the_host_is_reachable)
