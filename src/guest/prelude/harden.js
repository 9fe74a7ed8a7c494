/* harden.js - takes away what the engine offers beyond ECMAScript and the contract
 *
 * Shared memory would give guests a fine clock and a way to block; the call-site method `getFunction` would hand the
 * prelude's own functions to a guest's Error.prepareStackTrace; the rest is simply not part of the language.
 */
(function (host, internal) {
  'use strict';

  const { deleteProperty } = internal.primordials;

  deleteProperty(globalThis, 'SharedArrayBuffer');
  deleteProperty(globalThis, 'WebAssembly');
  deleteProperty(globalThis, 'InternalError');
  deleteProperty(globalThis, 'performance');

  if (typeof Atomics === 'object') {
    deleteProperty(Atomics, 'wait');
    deleteProperty(Atomics, 'waitAsync');
  }

  deleteProperty(Function.prototype, 'fileName');
  deleteProperty(Function.prototype, 'lineNumber');
  deleteProperty(Function.prototype, 'columnNumber');

  const before = Error.prepareStackTrace;
  Error.prepareStackTrace = (error, sites) => sites;
  const sites = new Error('call sites').stack;
  Error.prepareStackTrace = before;
  if (typeof sites === 'object' && sites[0]) {
    const callSite = Object.getPrototypeOf(sites[0]);
    deleteProperty(callSite, 'getFunction');
    deleteProperty(callSite, 'getThis');
  }
})
