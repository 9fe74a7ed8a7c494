/* inspect_kinds.js - how each kind of object opens, and what it holds besides its properties
 *
 * A kind is chosen by the engine's class of the object, which no guest can forge. Its function fills in the shape:
 *
 *   base     text before the brace, or the whole text of an object without properties
 *   open     opening brace with its prefix, `close` the closing one
 *   entries  null or (ctx, value, level, output, shape): adds the texts of what the object holds
 *   whole    set when it is the complete text: nothing else is looked at
 *   isList   entries come before properties and are never named
 */
(function (host, internal) {
  'use strict';

  const {
    bigintValue, booleanValue, bufferLength, dateISO, dateTime, getter, join, list, mapEntries, mapNext, mapSize,
    min, max, numberToString, numberValue, objectIs, padStart, setNext, setSize, setValues, stringValue,
    symbolValue, typedBuffer, typedByteLength, typedByteOffset, typedLength, Uint8Array, viewBuffer, viewLength,
    viewOffset,
  } = internal.primordials;
  const { functionBase, plainPrefix, prefix } = internal.names;
  const { more } = internal.text;

  const typedNames = { __proto__: null };
  for (const name of Reflect.ownKeys(globalThis)) {
    if (typeof name === 'string' && /^((Big)?(Ui|I)nt|Float)\d+(Clamped)?Array$/.test(name)) typedNames[name] = true;
  }
  internal.isTypedArrayName = (name) => typedNames[name] === true;

  const regexpSource = getter(RegExp.prototype, 'source');
  const regexpFlags = list();
  for (const [flag, key] of [['d', 'hasIndices'], ['g', 'global'], ['i', 'ignoreCase'], ['m', 'multiline'],
    ['s', 'dotAll'], ['u', 'unicode'], ['v', 'unicodeSets'], ['y', 'sticky']]) {
    regexpFlags[regexpFlags.length] = { __proto__: null, flag, isSet: getter(RegExp.prototype, key) };
  }

  const regexpText = (value) => {
    let text = '/' + regexpSource(value) + '/';
    for (let i = 0; i < regexpFlags.length; i++) if (regexpFlags[i].isSet(value)) text += regexpFlags[i].flag;
    return text;
  };
  internal.regexpText = regexpText;

  /* How many of `length` entries are shown. */
  const shown = (ctx, length) => min(max(0, ctx.maxArrayLength), length);

  /* The last entry: what was left out, because there are too many or because the room is used up. */
  function addRest(ctx, output, length, count) {
    if (ctx.room <= 0 && output.length < count) output[output.length] = '...';
    else if (length > count) output[output.length] = more(length - count, 'item');
  }
  internal.addRest = addRest;

  function typedEntries(ctx, value, level, output, shape) {
    const length = typedLength(value);
    const count = shown(ctx, length);
    for (let i = 0; i < count && ctx.room > 0; i++) output[output.length] = internal.formatPrimitive(ctx, value[i]);
    addRest(ctx, output, length, count);
    shape.numeric = true;
    if (!ctx.showHidden) return;
    ctx.indentation += 2;
    output[output.length] = '[BYTES_PER_ELEMENT]: ' + typedByteLength(value) / (length === 0 ? 1 : length);
    output[output.length] = '[length]: ' + length;
    output[output.length] = '[byteLength]: ' + typedByteLength(value);
    output[output.length] = '[byteOffset]: ' + typedByteOffset(value);
    output[output.length] = '[buffer]: ' + internal.formatValue(ctx, typedBuffer(value), level, true);
    ctx.indentation -= 2;
    shape.numeric = false;
  }

  function setEntries(ctx, value, level, output) {
    const length = setSize(value);
    const count = shown(ctx, length);
    const values = setValues(value);
    ctx.indentation += 2;
    for (let i = 0; i < count && ctx.room > 0; i++) {
      output[output.length] = internal.formatValue(ctx, setNext(values).value, level);
    }
    addRest(ctx, output, length, count);
    ctx.indentation -= 2;
  }

  function mapEntriesOf(ctx, value, level, output) {
    const length = mapSize(value);
    const count = shown(ctx, length);
    const entries = mapEntries(value);
    ctx.indentation += 2;
    for (let i = 0; i < count && ctx.room > 0; i++) {
      const entry = mapNext(entries).value;
      output[output.length] = internal.formatValue(ctx, entry[0], level) + ' => ' +
        internal.formatValue(ctx, entry[1], level);
    }
    addRest(ctx, output, length, count);
    ctx.indentation -= 2;
  }

  function bufferContents(ctx, value, level, output) {
    let bytes;
    try {
      bytes = new Uint8Array(value);
    } catch {
      output[output.length] = '(detached)';
      return;
    }
    const length = typedLength(bytes);
    const count = shown(ctx, length);
    const parts = list();
    for (let i = 0; i < count; i++) parts[i] = padStart(numberToString(bytes[i], 16), 2, '0');
    if (length > count) parts[count] = more(length - count, 'byte');
    output[output.length] = '[Uint8Contents]: <' + join(parts, ' ') + '>';
  }

  function bufferEntries(ctx, value, level, output, shape) {
    if (!shape.isInner) bufferContents(ctx, value, level, output);
    output[output.length] = 'byteLength: ' + bufferLength(value);
  }

  function viewEntries(ctx, value, level, output) {
    output[output.length] = 'byteLength: ' + viewLength(value);
    output[output.length] = 'byteOffset: ' + viewOffset(value);
    ctx.indentation += 2;
    output[output.length] = 'buffer: ' + internal.formatValue(ctx, viewBuffer(value), level);
    ctx.indentation -= 2;
  }

  function promiseEntries(ctx, value, level, output) {
    const state = host.promiseState(value);
    if (state === 0) {
      output[output.length] = '<pending>';
      return;
    }
    ctx.indentation += 2;
    const text = internal.formatValue(ctx, host.promiseResult(value), level);
    ctx.indentation -= 2;
    output[output.length] = state === 2 ? '<rejected> ' + text : text;
  }

  function unknownEntries(ctx, value, level, output) {
    output[output.length] = '<items unknown>';
  }

  function sized(shape, name, size) {
    return prefix(shape.constructor, shape.tag, name, '(' + size + ')');
  }

  function holder(name, entries) {
    return (ctx, value, shape) => {
      shape.open = prefix(shape.constructor, shape.tag, name, '') + '{';
      shape.entries = entries;
    };
  }

  function boxed(name, unbox) {
    return (ctx, value, shape) => {
      const { constructor, tag } = shape;
      let base = '[' + name;
      if (name !== constructor) base += constructor === null ? ' (null prototype)' : ' (' + constructor + ')';
      base += ': ' + internal.formatPrimitive(ctx, unbox(value)) + ']';
      shape.base = tag !== '' && tag !== constructor ? base + ' [' + tag + ']' : base;
    };
  }

  const kinds = {
    __proto__: null,

    Array(ctx, value, shape) {
      const head = shape.constructor !== 'Array' || shape.tag !== '' ? sized(shape, 'Array', value.length) : '';
      shape.open = head + '[';
      shape.close = ']';
      shape.isList = true;
      shape.entries = internal.arrayEntries;
      if (value.length === 0 && shape.keys.length === 0) shape.whole = shape.open + ']';
    },
    Set(ctx, value, shape) {
      shape.open = sized(shape, 'Set', setSize(value)) + '{';
      shape.entries = setEntries;
      if (setSize(value) === 0 && shape.keys.length === 0) shape.whole = shape.open + '}';
    },
    Map(ctx, value, shape) {
      shape.open = sized(shape, 'Map', mapSize(value)) + '{';
      shape.entries = mapEntriesOf;
      if (mapSize(value) === 0 && shape.keys.length === 0) shape.whole = shape.open + '}';
    },
    typed(ctx, value, shape) {
      shape.open = sized(shape, shape.className, typedLength(value)) + '[';
      shape.close = ']';
      shape.isList = true;
      shape.entries = typedEntries;
      if (typedLength(value) === 0 && shape.keys.length === 0 && !ctx.showHidden) shape.whole = shape.open + ']';
    },
    Function(ctx, value, shape) {
      shape.base = functionBase(value, shape.constructor, shape.tag);
    },
    Arguments(ctx, value, shape) {
      shape.open = shape.constructor === 'Object' ? '[Arguments] {'
        : prefix(shape.constructor, shape.tag, 'Arguments', '') + '{';
      if (shape.keys.length === 0) shape.whole = shape.open + '}';
    },
    RegExp(ctx, value, shape) {
      const head = prefix(shape.constructor, shape.tag, 'RegExp', '');
      shape.base = (head !== 'RegExp ' ? head : '') + regexpText(value);
    },
    Date(ctx, value, shape) {
      const head = prefix(shape.constructor, shape.tag, 'Date', '');
      const time = dateTime(value);
      shape.base = (head !== 'Date ' ? head : '') + (objectIs(time, NaN) ? 'Invalid Date' : dateISO(value));
    },
    ArrayBuffer(ctx, value, shape) {
      shape.open = prefix(shape.constructor, shape.tag, 'ArrayBuffer', '') + '{';
      shape.entries = bufferEntries;
    },
    DataView: holder('DataView', viewEntries),
    Promise: holder('Promise', promiseEntries),
    WeakSet: holder('WeakSet', unknownEntries),
    WeakMap: holder('WeakMap', unknownEntries),
    Number: boxed('Number', numberValue),
    String: boxed('String', stringValue),
    Boolean: boxed('Boolean', booleanValue),
    BigInt: boxed('BigInt', bigintValue),
    Symbol: boxed('Symbol', symbolValue),

    plain(ctx, value, shape) {
      const { constructor, tag } = shape;
      const head = constructor === 'Object' && tag === '' ? '' : plainPrefix(value, constructor, tag);
      shape.open = head + '{';
      if (shape.keys.length === 0) shape.whole = head + '{}';
    },
  };

  internal.kindOf = (value, className) => {
    if (typeof value === 'function') return kinds.Function;
    return typedNames[className] === true ? kinds.typed : kinds[className] ?? kinds.plain;
  };
})
