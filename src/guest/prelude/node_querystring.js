/* node_querystring.js - the module `querystring`
 */
(function (host, internal) {
  'use strict';

  const {
    create, decodeURIComponent, defineProperty, encodeURIComponent, exec, indexOf, isArray, join, list, objectKeys,
    parseInt, slice, Uint8Array,
  } = internal.primordials;

  const unescaped = /^[A-Za-z0-9\-_.!~*'()]*$/;

  function toText(value) {
    if (typeof value === 'string') return value;
    if (typeof value === 'number') return value - value === 0 ? '' + value : '';
    return typeof value === 'bigint' || typeof value === 'boolean' ? '' + value : '';
  }

  function escape(value) {
    const text = '' + value;
    return exec(unescaped, text) !== null ? text : encodeURIComponent(text);
  }

  /* Decodes what can be decoded: a percent sign that starts no byte stays, bytes that are no UTF-8 become U+FFFD. */
  function unescape(text) {
    try {
      return decodeURIComponent(text);
    } catch {
      let result = '';
      let kept = 0;
      for (let at = indexOf(text, '%'); at !== -1; at = indexOf(text, '%', kept)) {
        result += slice(text, kept, at);
        const bytes = list();
        let next = at;
        while (text[next] === '%' && exec(/^[0-9A-Fa-f]{2}$/, slice(text, next + 1, next + 3)) !== null) {
          bytes[bytes.length] = parseInt(slice(text, next + 1, next + 3), 16);
          next += 3;
        }
        const octets = new Uint8Array(bytes.length);
        for (let i = 0; i < bytes.length; i++) octets[i] = bytes[i];
        if (internal.utf8Decode === undefined) internal.load('utf8.js');
        result += bytes.length === 0 ? '%' : internal.utf8Decode(octets);
        kept = bytes.length === 0 ? at + 1 : next;
      }
      return result + slice(text, kept);
    }
  }

  function define(array, index, value) {
    defineProperty(array, index, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
  }

  const plusAsSpace = (text) => {
    let result = '';
    let kept = 0;
    for (let at = indexOf(text, '+'); at !== -1; at = indexOf(text, '+', kept)) {
      result += slice(text, kept, at) + ' ';
      kept = at + 1;
    }
    return result + slice(text, kept);
  };

  function parse(text, separator, equals, options) {
    const result = create(null);
    if (typeof text !== 'string' || text === '') return result;
    separator = separator ? '' + separator : '&';
    equals = equals ? '' + equals : '=';
    const decode = typeof options?.decodeURIComponent === 'function' ? options.decodeURIComponent : module.unescape;
    let left = typeof options?.maxKeys === 'number' ? options.maxKeys : 1000;
    if (left <= 0) left = Infinity;

    for (let start = 0; start <= text.length && left > 0;) {
      let end = indexOf(text, separator, start);
      if (end === -1) end = text.length;
      const pair = slice(text, start, end);
      start = end + separator.length;
      if (pair === '') continue;
      left--;
      const at = indexOf(pair, equals);
      const key = decode(plusAsSpace(at === -1 ? pair : slice(pair, 0, at)));
      const value = at === -1 ? '' : decode(plusAsSpace(slice(pair, at + equals.length)));
      const before = result[key];
      if (before === undefined) result[key] = value;
      else if (isArray(before)) define(before, before.length, value);
      else result[key] = [before, value];
    }
    return result;
  }

  function stringify(object, separator, equals, options) {
    if (typeof object !== 'object' || object === null) return '';
    separator = separator ? '' + separator : '&';
    equals = equals ? '' + equals : '=';
    const encode = typeof options?.encodeURIComponent === 'function' ? options.encodeURIComponent : module.escape;
    const pairs = list();
    const keys = objectKeys(object);
    for (let i = 0; i < keys.length; i++) {
      const value = object[keys[i]];
      const head = encode(keys[i]) + equals;
      if (isArray(value)) {
        for (let j = 0; j < value.length; j++) pairs[pairs.length] = head + encode(toText(value[j]));
      } else {
        pairs[pairs.length] = head + encode(toText(value));
      }
    }
    return join(pairs, separator);
  }

  const module = { parse, stringify, escape, unescape, decode: parse, encode: stringify };
  internal.modules.querystring = () => module;
})
