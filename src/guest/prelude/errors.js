/* errors.js - errors with a `code`, worded as Node words them
 */
(function (host, internal) {
  'use strict';

  const { Error, TypeError, RangeError, defineProperty, getOwn, slice } = internal.primordials;

  function coded(error, code) {
    const property = { __proto__: null, value: code, writable: true, enumerable: true, configurable: true };
    defineProperty(error, 'code', property);
    return error;
  }

  /* Says what a wrong argument was, without running any of its code. */
  function received(value) {
    if (value === null || value === undefined) return ' Received ' + value;
    if (typeof value === 'function') {
      const name = host.isProxy(value) ? undefined : getOwn(value, 'name');
      return name !== undefined && typeof name.value === 'string' && name.value !== ''
        ? ' Received function ' + name.value
        : ' Received function ';
    }
    if (typeof value === 'object') {
      const name = internal.constructorName(value);
      return name === null ? ' Received ' + internal.inspect(value, { __proto__: null, depth: -1 })
                           : ' Received an instance of ' + name;
    }
    let text = internal.inspect(value);
    if (text.length > 28) text = slice(text, 0, 25) + '...';
    return ' Received type ' + typeof value + ' (' + text + ')';
  }

  internal.errors = {
    __proto__: null,
    error: (code, message) => coded(new Error(message), code),
    typeError: (code, message) => coded(new TypeError(message), code),
    rangeError: (code, message) => coded(new RangeError(message), code),

    /* `expected` reads "of type function" or "an instance of Map". */
    argument: (name, expected, value) => coded(
      new TypeError('The "' + name + '" argument must be ' + expected + '.' + received(value)), 'ERR_INVALID_ARG_TYPE'),
    needFunction(name, value) {
      if (typeof value !== 'function') throw internal.errors.argument(name, 'of type function', value);
    },
    needString(name, value) {
      if (typeof value !== 'string') throw internal.errors.argument(name, 'of type string', value);
    },
  };
})
