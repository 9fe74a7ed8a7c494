/* result.js - the run's value: waiting for it, and its JSON text
 *
 * The text is what the engine's own JSON.stringify makes. What it would pass over in silence (a promise becomes `{}`)
 * or refuse without saying where (BigInt, cycles) ends in an error that names the path.
 */
(function (host, internal) {
  'use strict';

  const {
    arrayPrototype, defineProperty, deleteProperty, exec, getOwn, getPrototypeOf, hasOwn, isArray, list,
    objectPrototype, ownKeys, Promise, promisePrototype, String, stringify, symbolToString, TypeError,
  } = internal.primordials;

  const nodeLimit = 100000;
  const depthLimit = 1000;
  const promiseHint = ' is a Promise; await it or use Promise.all';

  function messageOf(make) {
    try {
      make();
    } catch (error) {
      return error.message;
    }
  }

  const cycle = [];
  cycle[0] = cycle;
  const cycleMessage = messageOf(() => stringify(cycle));
  const bigintMessage = messageOf(() => stringify(1n));

  const digits = /^[0-9]+$/;
  const identifier = /^[A-Za-z_$][A-Za-z_$0-9]*$/;

  function member(path, holder, key) {
    if (isArray(holder)) return path + '[' + key + ']';
    return exec(identifier, key) !== null ? path + '.' + key : path + '[' + stringify(key) + ']';
  }

  /* Goes through the value once more, noting where it is, and returns what is wrong or undefined. JSON.stringify calls
   * the replacer with the holder as `this`; the holders on the way down are the ancestors of the value.
   */
  function findFault(value) {
    const ancestors = list();
    const paths = list();
    const found = { __proto__: null, text: undefined };
    let nodes = 0;

    function visit(key, value) {
      let path = 'value';
      if (nodes++ !== 0) {
        while (ancestors.length !== 0 && ancestors[ancestors.length - 1] !== this) {
          ancestors.length--;
          paths.length--;
        }
        path = member(paths.length !== 0 ? paths[paths.length - 1] : 'value', this, key);
      }
      if (typeof value === 'bigint') {
        found.text = path + ' is a BigInt, which JSON cannot hold; convert it with String() or Number()';
      } else if (typeof value === 'object' && value !== null) {
        if (host.promiseState(value) !== -1) found.text = path + promiseHint;
        for (let i = 0; i < ancestors.length; i++) {
          if (ancestors[i] === value) found.text = path + ' is a cycle back to ' + paths[i];
        }
        ancestors[ancestors.length] = value;
        paths[paths.length] = path;
      }
      if (found.text !== undefined || nodes > nodeLimit || ancestors.length > depthLimit) throw found;
      return value;
    }

    try {
      stringify(value, visit);
    } catch {
      /* Either the fault is found, or the search was cut short and the first error stands. */
    }
    return found.text;
  }

  /* The last refusal of a promise. Guest code may catch one and go on to throw an error of its own. */
  let refusal = null;

  function refuse() {
    refusal = new TypeError('value holds a Promise; await it or use Promise.all');
    throw refusal;
  }

  const meetPromise = { toJSON: () => refuse() }.toJSON;
  const trap = { __proto__: null, value: meetPromise, writable: true, enumerable: false, configurable: true };

  function refusePromises(key, value) {
    if (typeof value === 'object' && value !== null && host.promiseState(value) !== -1) refuse();
    return value;
  }

  /* While the value is written, promises have a `toJSON` that refuses; a guest's own `toJSON` for them is honoured. */
  function write(value) {
    if (typeof value !== 'object' || value === null) return stringify(value);
    if (hasOwn(promisePrototype, 'toJSON')) return stringify(value);
    if (!defineProperty(promisePrototype, 'toJSON', trap)) return stringify(value, refusePromises);
    try {
      return stringify(value);
    } finally {
      deleteProperty(promisePrototype, 'toJSON');
    }
  }

  function hasMessage(error, text) {
    if (typeof error !== 'object' || error === null || host.className(error) !== 'Error') return false;
    const message = getOwn(error, 'message');
    return message !== undefined && message.value === text;
  }

  function isFault(error) {
    return error === refusal || hasMessage(error, cycleMessage) || hasMessage(error, bigintMessage);
  }

  internal.isCycleError = (error) => hasMessage(error, cycleMessage);

  /* The engine notes the objects it is inside of in an array of its own, which has the guest's Array.prototype: a
   * setter planted there for an index would be called. Returns whether there was one to remove.
   */
  function removePlantedIndexes(holder) {
    const keys = ownKeys(holder);
    let found = false;
    for (let i = 0; i < keys.length && typeof keys[i] === 'string' && exec(digits, keys[i]) !== null; i++) {
      if (deleteProperty(holder, keys[i])) found = true;
    }
    return found;
  }

  internal.exports.stringify = (value) => {
    try {
      return write(value);
    } catch (error) {
      if (removePlantedIndexes(arrayPrototype) || removePlantedIndexes(objectPrototype)) {
        return internal.exports.stringify(value);
      }
      const text = isFault(error) ? findFault(value) : undefined;
      refusal = null;
      if (text === undefined) throw error;
      throw new TypeError(text);
    }
  };

  /* A thrown value that is no error, as text; no guest code runs. */
  internal.exports.describe = (value) => {
    if (typeof value === 'symbol') return symbolToString(value);
    return typeof value === 'object' || typeof value === 'function' ? internal.inspect(value) : String(value);
  };

  const awaited = async (value) => await value;
  const plainConstructor = { __proto__: null, value: Promise, writable: true, enumerable: false, configurable: true };

  /* Waits for a value. `await` takes a promise as it is, without asking for its `then`, when its `constructor` is the
   * engine's own; an ordinary promise is given that for the moment, whatever the guest has made of Promise.prototype.
   */
  function settle(value) {
    if (typeof value !== 'object' || value === null || host.promiseState(value) === -1 ||
        getPrototypeOf(value) !== promisePrototype || hasOwn(value, 'constructor') || hasOwn(value, 'then') ||
        !defineProperty(value, 'constructor', plainConstructor)) {
      return awaited(value);
    }
    const promise = awaited(value);
    deleteProperty(value, 'constructor');
    return promise;
  }

  internal.exports.settle = settle;

  const rejected = async (error) => {
    throw error;
  };
  internal.exports.callDefault = (fn, context) => {
    try {
      return settle(fn(context));
    } catch (error) {
      return rejected(error);
    }
  };
})
