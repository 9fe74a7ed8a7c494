/* modules.js - the built-in modules that `require` and `import` know, and the ones they refuse
 *
 * A module is a function in internal.modules that makes its exports; it runs when the guest first asks. `process` is
 * among the refused ones: a guest has it as a global, and `import` of anything that Node runs on is to fail.
 */
(function (host, internal) {
  'use strict';

  const { define, indexOf, slice, startsWith } = internal.primordials;
  const { error, needString } = internal.errors;

  /* Which file makes which module, by leaving a function in internal.modules when it is run. */
  const files = {
    __proto__: null,
    assert: 'node_assert.js', 'assert/strict': 'node_assert.js', events: 'node_events.js',
    path: 'node_path.js', querystring: 'node_querystring.js', timers: 'node_timers.js',
    'timers/promises': 'node_timers.js', util: 'node_util.js',
  };

  /* One string instead of a table: it is searched only on the way to an error. */
  const refused = ' _http_agent _http_client _http_common _http_incoming _http_outgoing _http_server _stream_duplex ' +
    '_stream_passthrough _stream_readable _stream_transform _stream_wrap _stream_writable _tls_common _tls_wrap ' +
    'async_hooks child_process cluster constants dgram diagnostics_channel dns dns/promises domain fs fs/promises ' +
    'http http2 https inspector inspector/promises module net os path/posix path/win32 perf_hooks process punycode ' +
    'readline readline/promises repl sea sqlite stream stream/consumers stream/promises stream/web sys test ' +
    'test/reporters tls trace_events tty util/types v8 vm wasi worker_threads zlib ';
  const later = ' buffer crypto string_decoder url ';

  const loaded = { __proto__: null };
  internal.modules = { __proto__: null, console: () => internal.console };

  /* Runs a file of the prelude that was kept out of the image. */
  internal.load = (file) => host.load(file)(host, internal);

  function builtin(name) {
    needString('id', name);
    const bare = startsWith(name, 'node:') ? slice(name, 5) : name;
    const known = loaded[bare];
    if (known !== undefined) return known;
    const file = files[bare];
    if (file !== undefined && internal.modules[bare] === undefined) internal.load(file);
    const make = internal.modules[bare];
    if (make !== undefined) return loaded[bare] = make();
    if (bare === 'fs' || bare === 'fs/promises') {
      throw error('ERR_ACCESS_DENIED', "Cannot load '" + bare + "': access denied (allowFs is off)");
    }
    const word = ' ' + bare + ' ';
    if (indexOf(bare, ' ') === -1) {
      if (indexOf(refused, word) !== -1) {
        throw error('ERR_ACCESS_DENIED', "Cannot load '" + bare + "': access denied (guests do not get this module)");
      }
      if (indexOf(later, word) !== -1) throw error('MODULE_NOT_FOUND', "'node:" + bare + "' is not available");
    }
    throw error('MODULE_NOT_FOUND', "Cannot find module '" + name + "'");
  }

  internal.exports.builtin = builtin;
  define(globalThis, 'require', { require: (name) => builtin(name) }.require);
})
