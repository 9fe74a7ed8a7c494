/* node_util.js - the module `util`
 *
 * Here the guest asks for its own hooks, so they are honoured: inspect.custom, toString for %s, getters on request.
 */
(function (host, internal) {
  'use strict';

  const {
    apply, construct, defineProperty, exec, getPrototypeOf, isArray, isView, list, objectKeys, Promise,
    setPrototypeOf, slice, Symbol, symbolFor,
  } = internal.primordials;
  const { argument, needFunction, needString, typeError } = internal.errors;
  const { ownData } = internal.names;
  const { applyOptions, formatValue, inspectDefaults, newContext } = internal;

  const promisifyCustom = symbolFor('nodejs.util.promisify.custom');

  function hidden(object, key, value) {
    defineProperty(object, key, { __proto__: null, value, writable: true, enumerable: false, configurable: true });
    return object;
  }

  function inspect(value, options, depth) {
    const ctx = newContext();
    ctx.customInspect = true;
    if (typeof options === 'boolean') {
      ctx.showHidden = options;
      if (depth !== undefined) ctx.depth = depth;
    } else if (typeof options === 'object' && options !== null) {
      applyOptions(ctx, options);
    }
    return formatValue(ctx, value, 0);
  }

  /* The options as a custom inspection function gets them. */
  internal.guestOptions = (ctx) => {
    const options = { stylize: (text) => '' + text };
    const keys = objectKeys(inspectDefaults);
    for (let i = 0; i < keys.length; i++) options[keys[i]] = ctx[keys[i]];
    return options;
  };

  function formatWithOptions(options, ...args) {
    const ctx = newContext();
    ctx.customInspect = true;
    if (typeof options !== 'object' || options === null) throw argument('inspectOptions', 'of type object', options);
    applyOptions(ctx, options);
    return internal.format(ctx, args, true);
  }

  function format(...args) {
    const ctx = newContext();
    ctx.customInspect = true;
    return internal.format(ctx, args, true);
  }

  function withCallback(args, callback) {
    const all = list();
    for (let i = 0; i < args.length; i++) all[i] = args[i];
    all[all.length] = callback;
    return all;
  }

  function promisify(original) {
    needFunction('original', original);
    const { timers } = internal;
    if (original === timers.setTimeout || original === timers.setImmediate) {
      const promises = internal.exports.builtin('timers/promises');
      return original === timers.setTimeout ? promises.setTimeout : promises.setImmediate;
    }
    const custom = original[promisifyCustom];
    if (custom) {
      needFunction('util.promisify.custom', custom);
      return hidden(custom, promisifyCustom, custom);
    }
    function promised(...args) {
      return new Promise((resolve, reject) => {
        apply(original, this, withCallback(args, (error, value) => (error ? reject(error) : resolve(value))));
      });
    }
    setPrototypeOf(promised, original);
    return hidden(promised, promisifyCustom, promised);
  }

  function callbackify(original) {
    needFunction('original', original);
    return function (...args) {
      const callback = args[args.length - 1];
      needFunction('last argument', callback);
      args.length--;
      const settle = async () => {
        let value;
        try {
          value = await apply(original, this, args);
        } catch (error) {
          internal.nextTick(callback, [error || typeError('ERR_FALSY_VALUE_REJECTION', 'Promise was rejected')]);
          return;
        }
        internal.nextTick(callback, [null, value]);
      };
      settle();
    };
  }

  function inherits(maker, above) {
    needFunction('ctor', maker);
    needFunction('superCtor', above);
    hidden(maker, 'super_', above);
    setPrototypeOf(maker.prototype, above.prototype);
  }

  function deprecate(original, message) {
    let isWarned = false;
    const wrapper = function (...args) {
      if (!isWarned) {
        isWarned = true;
        host.write(2, 'DeprecationWarning: ' + internal.plainText(message) + '\n');
      }
      return new.target ? construct(original, args, new.target) : apply(original, this, args);
    };
    return wrapper;
  }

  /* Sequences that end in BEL or ST (titles, links), and control sequences proper. */
  const textSequence =
    /[\x1b\x9b][[\]()#;?]*(?:(?:;[-\w/#&.:=?%@~]+)*|[a-zA-Z\d]+(?:;[-\w/#&.:=?%@~]*)*)?(?:\x07|\x1b\\|\x9c)/;
  const controlSequence = /[\x1b\x9b][[\]()#;?]*(?:\d{1,4}(?:;\d{0,4})*)?[\dA-PR-TZcf-nq-uy=><~]/;

  function stripVTControlCharacters(text) {
    needString('str', text);
    let result = '';
    for (;;) {
      const first = exec(textSequence, text);
      const second = exec(controlSequence, text);
      const found = second === null || (first !== null && first.index <= second.index) ? first : second;
      if (found === null) return result + text;
      result += slice(text, 0, found.index);
      text = slice(text, found.index + found[0].length);
    }
  }

  const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';

  /* One test of util.types: whether the engine's class of an object is among those named. */
  const isOf = (...classes) => (value) => {
    if (!isObject(value) || host.isProxy(value)) return false;
    const className = host.className(value);
    for (let i = 0; i < classes.length; i++) if (classes[i] === className) return true;
    return false;
  };

  function makeTypes() {
    const types = {
      isProxy: (value) => isObject(value) && host.isProxy(value),
      isTypedArray: (value) => isView(value) && host.className(value) !== 'DataView',
      isArrayBufferView: (value) => isView(value),
      isBoxedPrimitive: isOf('Number', 'String', 'Boolean', 'BigInt', 'Symbol'),
      isNativeError: isOf('Error'),
      isAnyArrayBuffer: isOf('ArrayBuffer', 'SharedArrayBuffer'),
      isGeneratorFunction: isOf('GeneratorFunction', 'AsyncGeneratorFunction'),
      isAsyncFunction: isOf('AsyncFunction', 'AsyncGeneratorFunction'),
      isGeneratorObject: isOf('Generator', 'AsyncGenerator'),
      isArgumentsObject: isOf('Arguments'),
      isMapIterator: isOf('Map Iterator'),
      isSetIterator: isOf('Set Iterator'),
      isExternal: () => false,
      isModuleNamespaceObject: (value) => isObject(value) && !host.isProxy(value) &&
        ownData(value, Symbol.toStringTag) === 'Module' && getPrototypeOf(value) === null,
    };
    const plain = ['ArrayBuffer', 'DataView', 'Date', 'Map', 'Promise', 'RegExp', 'Set', 'WeakMap', 'WeakSet',
      'Uint8Array', 'Uint8ClampedArray', 'Uint16Array', 'Uint32Array', 'Int8Array', 'Int16Array', 'Int32Array',
      'Float32Array', 'Float64Array', 'BigInt64Array', 'BigUint64Array'];
    for (let i = 0; i < plain.length; i++) types['is' + plain[i]] = isOf(plain[i]);
    const boxed = ['Number', 'String', 'Boolean', 'BigInt', 'Symbol'];
    for (let i = 0; i < boxed.length; i++) types['is' + boxed[i] + 'Object'] = isOf(boxed[i]);
    return types;
  }

  internal.modules.util = () => {
    internal.guestInspect = inspect;
    inspect.custom = internal.customInspectSymbol;
    inspect.defaultOptions = { ...inspectDefaults };
    promisify.custom = promisifyCustom;
    return {
      inspect, format, formatWithOptions, promisify, callbackify, inherits, deprecate, stripVTControlCharacters,
      types: makeTypes(),
      isArray,
      isDeepStrictEqual(a, b) {
        if (internal.deepEqual === undefined) internal.load('node_equal.js');
        return internal.deepEqual(a, b, true);
      },
      debuglog: () => () => {},
      TextEncoder: globalThis.TextEncoder,
      TextDecoder: globalThis.TextDecoder,
    };
  };
})
