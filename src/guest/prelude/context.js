/* context.js - the run's context: whole as `context`, and each of its keys as a global
 */
(function (host, internal) {
  'use strict';

  const { defineProperty, ownKeys } = internal.primordials;

  /* One descriptor serves every definition; it is emptied again so that it keeps nothing alive. */
  const entry = { __proto__: null, value: undefined, writable: true, enumerable: true, configurable: true };
  const whole = { __proto__: null, value: undefined, writable: true, enumerable: false, configurable: true };

  function isReserved(key) {
    return key === 'undefined' || key === 'NaN' || key === 'Infinity' || key === 'globalThis' || key === 'context';
  }

  /* `context` comes from the engine's JSON parser: every own property is data, `__proto__` is a key like any other. */
  internal.exports.setContext = (context) => {
    whole.value = context;
    defineProperty(globalThis, 'context', whole);
    whole.value = undefined;

    const keys = ownKeys(context);
    for (let i = 0; i < keys.length; i++) {
      const key = keys[i];
      if (isReserved(key)) continue;
      entry.value = context[key];
      defineProperty(globalThis, key, entry);
    }
    entry.value = undefined;
  };
})
