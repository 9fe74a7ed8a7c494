/* node_equal.js - deep equality as node:assert and node:util define it, strict and loose
 *
 * Both values may be anything a guest can make; proxies run their traps, getters run. Depth and cycles are guarded by
 * the pairs that are being compared on the way down.
 */
(function (host, internal) {
  'use strict';

  const {
    bigintValue, booleanValue, dateTime, getPrototypeOf, getSymbols, hasOwn, isEnumerable, list, mapEntries, mapGet,
    mapHas, mapNext, mapSize, numberValue, objectIs, objectKeys, setHas, setNext, setSize, setValues, stringValue,
    symbolValue, typedLength, Uint8Array,
  } = internal.primordials;

  const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';

  function classOf(value) {
    return host.isProxy(value) ? 'Proxy' : typeof value === 'function' ? 'Function' : host.className(value);
  }

  function sameUnboxed(className, a, b) {
    switch (className) {
      case 'Date': return objectIs(dateTime(a), dateTime(b));
      case 'RegExp': return internal.regexpText(a) === internal.regexpText(b) && a.lastIndex === b.lastIndex;
      case 'Number': return objectIs(numberValue(a), numberValue(b));
      case 'String': return stringValue(a) === stringValue(b);
      case 'Boolean': return booleanValue(a) === booleanValue(b);
      case 'BigInt': return bigintValue(a) === bigintValue(b);
      case 'Symbol': return symbolValue(a) === symbolValue(b);
      case 'Error': return a.name === b.name && a.message === b.message;
      default: return true;
    }
  }

  function sameBytes(a, b) {
    if (typedLength(a) !== typedLength(b)) return false;
    for (let i = 0; i < typedLength(a); i++) if (a[i] !== b[i]) return false;
    return true;
  }

  function sameNumbers(a, b, strict) {
    if (typedLength(a) !== typedLength(b)) return false;
    for (let i = 0; i < typedLength(a); i++) {
      if (strict ? !objectIs(a[i], b[i]) : a[i] !== b[i] && !(objectIs(a[i], NaN) && objectIs(b[i], NaN))) return false;
    }
    return true;
  }

  function keysOf(value, strict) {
    const keys = list();
    const names = objectKeys(value);
    for (let i = 0; i < names.length; i++) keys[i] = names[i];
    if (!strict) return keys;
    const symbols = getSymbols(value);
    for (let i = 0; i < symbols.length; i++) if (isEnumerable(value, symbols[i])) keys[keys.length] = symbols[i];
    return keys;
  }

  function sameProperties(a, b, strict, open) {
    const keys = keysOf(a, strict);
    if (keys.length !== keysOf(b, strict).length) return false;
    for (let i = 0; i < keys.length; i++) {
      if (!hasOwn(b, keys[i]) || !isEnumerable(b, keys[i])) return false;
      if (!equal(a[keys[i]], b[keys[i]], strict, open)) return false;
    }
    return true;
  }

  /* Pairs each member of `a` with one of `b` that was not paired yet. */
  function sameMembers(a, b, isSame) {
    if (a.length !== b.length) return false;
    for (let i = 0; i < a.length; i++) {
      let at = 0;
      while (at < b.length && !isSame(a[i], b[at])) at++;
      if (at === b.length) return false;
      b[at] = b[b.length - 1];
      b.length--;
    }
    return true;
  }

  function sameSets(a, b, strict, open) {
    if (setSize(a) !== setSize(b)) return false;
    const restA = list();
    const restB = list();
    const valuesA = setValues(a);
    const valuesB = setValues(b);
    for (let i = setSize(a); i > 0; i--) {
      const value = setNext(valuesA).value;
      if (!setHas(b, value)) restA[restA.length] = value;
      const other = setNext(valuesB).value;
      if (!setHas(a, other)) restB[restB.length] = other;
    }
    return sameMembers(restA, restB, (x, y) => (isObject(x) || !strict) && equal(x, y, strict, open));
  }

  function sameMaps(a, b, strict, open) {
    if (mapSize(a) !== mapSize(b)) return false;
    const restA = list();
    const restB = list();
    const entriesA = mapEntries(a);
    const entriesB = mapEntries(b);
    for (let i = mapSize(a); i > 0; i--) {
      const entry = mapNext(entriesA).value;
      if (!mapHas(b, entry[0])) restA[restA.length] = entry;
      else if (!equal(entry[1], mapGet(b, entry[0]), strict, open)) return false;
      const other = mapNext(entriesB).value;
      if (!mapHas(a, other[0])) restB[restB.length] = other;
    }
    return sameMembers(restA, restB, (x, y) =>
      (isObject(x[0]) || !strict) && equal(x[0], y[0], strict, open) && equal(x[1], y[1], strict, open));
  }

  function sameObjects(a, b, strict, open) {
    const className = classOf(a);
    if (className !== classOf(b) && (strict || className === 'Array' || classOf(b) === 'Array')) return false;
    if (className === 'Function' || className === 'Promise') return false;
    if (className === 'WeakMap' || className === 'WeakSet') return false;
    if (strict && getPrototypeOf(a) !== getPrototypeOf(b)) return false;
    if (className === classOf(b) && !sameUnboxed(className, a, b)) return false;

    for (let i = 0; i < open.length; i += 2) if (open[i] === a) return open[i + 1] === b;
    open[open.length] = a;
    open[open.length] = b;
    let isSame;
    if (internal.isTypedArrayName(className)) {
      isSame = sameNumbers(a, b, strict);
    } else {
      isSame = className !== 'Array' || a.length === b.length;
      if (className === 'ArrayBuffer') isSame = sameBytes(new Uint8Array(a), new Uint8Array(b));
      else if (className === 'Set') isSame = sameSets(a, b, strict, open);
      else if (className === 'Map') isSame = sameMaps(a, b, strict, open);
      isSame = isSame && sameProperties(a, b, strict, open);
    }
    open.length -= 2;
    return isSame;
  }

  function equal(a, b, strict, open) {
    if (a === b) return strict ? a !== 0 || objectIs(a, b) : true;
    if (objectIs(a, NaN) && objectIs(b, NaN)) return true;
    if (isObject(a) && isObject(b)) return sameObjects(a, b, strict, open);
    return !strict && !isObject(a) && !isObject(b) && a == b;
  }

  internal.deepEqual = (a, b, strict) => equal(a, b, strict, list());
})
