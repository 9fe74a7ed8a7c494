/* primordials.js - the built-ins the prelude relies on, captured before any guest code exists
 *
 * Guest code may replace or delete every built-in. What runs after it therefore calls only what is captured here, and
 * keeps to a few rules:
 *
 *   - a method is called through `uncurry`, which yields a bound Function.prototype.call: no look-up is left in it;
 *   - lists that grow are made by `list`: they have no prototype, so no planted setter sees `items[n] = value`;
 *   - records are written `{ __proto__: null, ... }`, property descriptors too;
 *   - no for-of, no spread, no array patterns (Symbol.iterator), no instanceof (Symbol.hasInstance), no regular
 *     expression through a String method (Symbol.replace and friends): `exec` is called directly.
 */
(function (host, internal) {
  'use strict';

  const call = Function.prototype.call;
  const uncurry = Function.prototype.bind.bind(call);
  const { apply, construct, ownKeys, defineProperty, deleteProperty, getPrototypeOf } = Reflect;
  const { setPrototypeOf } = Object;
  const getOwn = Reflect.getOwnPropertyDescriptor;
  const getter = (holder, key) => uncurry(getOwn(holder, key).get);

  const string = String.prototype;
  const array = Array.prototype;
  const typed = getPrototypeOf(Uint8Array.prototype);
  const mapIterator = getPrototypeOf(new Map().entries());
  const setIterator = getPrototypeOf(new Set().values());

  const list = () => setPrototypeOf([], null);

  /* Defines a property that looks like one of a built-in: writable, configurable, not enumerable. */
  const define = (holder, key, value) =>
    defineProperty(holder, key, { __proto__: null, value, writable: true, enumerable: false, configurable: true });

  internal.exports = { __proto__: null };

  internal.primordials = {
    __proto__: null,
    uncurry, apply, construct, ownKeys, defineProperty, deleteProperty, getPrototypeOf, setPrototypeOf, getOwn, getter,
    list, define,

    create: Object.create,
    hasOwn: Object.hasOwn,
    objectIs: Object.is,
    objectKeys: Object.keys,
    getSymbols: Object.getOwnPropertySymbols,
    isEnumerable: uncurry(Object.prototype.propertyIsEnumerable),
    isPrototypeOf: uncurry(Object.prototype.isPrototypeOf),
    objectPrototype: Object.prototype,
    functionPrototype: Function.prototype,
    functionToString: uncurry(Function.prototype.toString),

    charCodeAt: uncurry(string.charCodeAt),
    codePointAt: uncurry(string.codePointAt),
    slice: uncurry(string.slice),
    indexOf: uncurry(string.indexOf),
    lastIndexOf: uncurry(string.lastIndexOf),
    startsWith: uncurry(string.startsWith),
    endsWith: uncurry(string.endsWith),
    repeat: uncurry(string.repeat),
    padStart: uncurry(string.padStart),
    padEnd: uncurry(string.padEnd),
    toUpperCase: uncurry(string.toUpperCase),
    fromCodePoint: String.fromCodePoint,
    String,
    Symbol,
    symbolFor: Symbol.for,
    symbolToString: uncurry(Symbol.prototype.toString),
    exec: uncurry(RegExp.prototype.exec),

    Number,
    BigInt,
    parseInt,
    parseFloat,
    encodeURIComponent,
    decodeURIComponent,
    isInteger: Number.isInteger,
    numberToString: uncurry(Number.prototype.toString),
    toFixed: uncurry(Number.prototype.toFixed),
    min: Math.min,
    max: Math.max,
    floor: Math.floor,
    round: Math.round,
    sqrt: Math.sqrt,
    trunc: Math.trunc,

    join: uncurry(array.join),
    sort: uncurry(array.sort),
    isArray: Array.isArray,
    arrayPrototype: array,

    Map,
    Set,
    mapGet: uncurry(Map.prototype.get),
    mapSet: uncurry(Map.prototype.set),
    mapHas: uncurry(Map.prototype.has),
    mapDelete: uncurry(Map.prototype.delete),
    mapSize: getter(Map.prototype, 'size'),
    mapKeys: uncurry(Map.prototype.keys),
    mapEntries: uncurry(Map.prototype.entries),
    mapNext: uncurry(mapIterator.next),
    setHas: uncurry(Set.prototype.has),
    setAdd: uncurry(Set.prototype.add),
    setSize: getter(Set.prototype, 'size'),
    setValues: uncurry(Set.prototype.values),
    setNext: uncurry(setIterator.next),

    Error,
    TypeError,
    RangeError,
    errorPrototype: Error.prototype,
    errorStack: getter(Error.prototype, 'stack'),
    captureStackTrace: Error.captureStackTrace,

    Promise,
    promisePrototype: Promise.prototype,

    stringify: JSON.stringify,

    dateNow: Date.now,
    dateTime: uncurry(Date.prototype.getTime),
    dateISO: uncurry(Date.prototype.toISOString),

    Uint8Array,
    typedLength: getter(typed, 'length'),
    typedBuffer: getter(typed, 'buffer'),
    typedByteLength: getter(typed, 'byteLength'),
    typedByteOffset: getter(typed, 'byteOffset'),
    bufferLength: getter(ArrayBuffer.prototype, 'byteLength'),
    isView: ArrayBuffer.isView,
    viewBuffer: getter(DataView.prototype, 'buffer'),
    viewLength: getter(DataView.prototype, 'byteLength'),
    viewOffset: getter(DataView.prototype, 'byteOffset'),

    numberValue: uncurry(Number.prototype.valueOf),
    stringValue: uncurry(string.valueOf),
    booleanValue: uncurry(Boolean.prototype.valueOf),
    bigintValue: uncurry(BigInt.prototype.valueOf),
    symbolValue: uncurry(Symbol.prototype.valueOf),
  };
})
