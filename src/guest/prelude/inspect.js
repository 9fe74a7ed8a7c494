/* inspect.js - any value as text, after the manner of Node's util.inspect
 *
 * One context per call carries the options and the state: where the text is indented, how deep it is, which objects
 * are open (for cycles), and `room`, the characters that may still be made. The text of a call is thereby bounded,
 * however large or deep the value: when the room is used up, "..." stands for all that is left.
 */
(function (host, internal) {
  'use strict';

  const {
    apply, exec, getOwn, getSymbols, hasOwn, isEnumerable, list, Map, mapGet, mapSet, mapSize, max, min, objectIs,
    objectKeys, ownKeys, repeat, setPrototypeOf, slice, sort, Symbol, symbolToString, typedLength,
  } = internal.primordials;
  const { constructorName, lookUp, ownData, plainPrefix, tagOf, unwrap } = internal.names;
  const { escapeName, indented, isIdentifier, lines, more, plural, quote, symbolName, width } = internal.text;
  const { kindOf, layOut } = internal;

  const roomForOneCall = 262144;
  const deepest = 200;                    /* whatever depth is asked for: the engine's stack is limited */
  const longestArrayWithKeys = 10000;     /* listing the keys of a longer one would cost more than it shows */
  const customSymbol = Symbol.for('nodejs.util.inspect.custom');
  const index = /^(?:0|[1-9][0-9]{0,9})$/;

  function formatPrimitive(ctx, value) {
    let text;
    if (typeof value === 'string') {
      if (ctx.room <= 0) return '...';
      let rest = '';
      if (value.length > ctx.maxStringLength) {
        rest = more(value.length - ctx.maxStringLength, 'character');
        value = slice(value, 0, ctx.maxStringLength);
      }
      if (ctx.compact !== true && value.length > 16 && value.length > ctx.breakLength - ctx.indentation - 4) {
        const parts = lines(value);
        text = '';
        for (let i = 0; i < parts.length; i++) {
          if (i !== 0) text += ' +\n' + repeat(' ', ctx.indentation + 2);
          text += quote(parts[i]);
        }
      } else {
        text = quote(value);
      }
      text += rest;
    } else if (typeof value === 'number') {
      text = objectIs(value, -0) ? '-0' : '' + value;
    } else if (typeof value === 'bigint') {
      text = value + 'n';
    } else if (typeof value === 'symbol') {
      text = symbolToString(value);
    } else {
      text = '' + value;
    }
    ctx.room -= text.length;
    return text;
  }

  function keysOf(value, showHidden) {
    const keys = setPrototypeOf(showHidden ? ownKeys(value) : objectKeys(value), null);
    if (showHidden) return keys;
    const symbols = getSymbols(value);
    for (let i = 0; i < symbols.length; i++) {
      if (isEnumerable(value, symbols[i])) keys[keys.length] = symbols[i];
    }
    return keys;
  }

  /* The keys of an array, a typed array or a boxed string that are no indexes. Indexes come first in the listing. */
  function extraKeys(value, showHidden, length) {
    if (length > longestArrayWithKeys) return list();
    const keys = keysOf(value, showHidden);
    let start = keys.length;
    while (start > 0 && (typeof keys[start - 1] === 'symbol' || exec(index, keys[start - 1]) === null)) start--;
    const extra = list();
    for (let i = start; i < keys.length; i++) extra[extra.length] = keys[i];
    return extra;
  }

  function formatProperty(ctx, value, level, key, isEntry) {
    const property = getOwn(value, key);
    let text;
    let gap = ' ';
    if (property === undefined) {
      text = 'undefined';
    } else if (hasOwn(property, 'value')) {
      const inner = ctx.compact !== true || isEntry ? 2 : 3;
      ctx.indentation += inner;
      text = formatValue(ctx, property.value, level);
      if (inner === 3 && ctx.breakLength < width(text)) gap = '\n' + repeat(' ', ctx.indentation);
      ctx.indentation -= inner;
    } else {
      text = formatAccessor(ctx, value, level, property.get, property.set);
    }
    if (isEntry) return text;

    let name;
    if (typeof key === 'symbol') name = '[' + symbolName(key) + ']';
    else if (key === '__proto__') name = "['__proto__']";
    else if (property !== undefined && !property.enumerable) name = '[' + escapeName(key) + ']';
    else name = isIdentifier(key) ? key : quote(key);
    ctx.room -= name.length + 4;
    return name + ':' + gap + text;
  }

  function formatAccessor(ctx, value, level, get, set) {
    if (get === undefined) return set === undefined ? 'undefined' : '[Setter]';
    const label = set !== undefined ? 'Getter/Setter' : 'Getter';
    const { getters } = ctx;
    if (getters !== true && !(getters === 'get' && set === undefined) && !(getters === 'set' && set !== undefined)) {
      return '[' + label + ']';
    }
    try {
      const got = apply(get, value, []);
      ctx.indentation += 2;
      const text = formatValue(ctx, got, level);
      ctx.indentation -= 2;
      return typeof got === 'object' && got !== null ? '[' + label + '] ' + text : '[' + label + ': ' + text + ']';
    } catch {
      return '[' + label + ': <Inspection threw>]';
    }
  }

  /* The rest of an array from its first hole on: runs of holes are counted. */
  function sparseEntries(ctx, value, level, output, count) {
    const { length } = value;
    const keys = objectKeys(value);
    let next = output.length;
    for (let i = next; i < keys.length && output.length < count && ctx.room > 0; i++) {
      const key = keys[i];
      if (typeof key !== 'string' || exec(index, key) === null || +key > 4294967294) break;
      const at = +key;
      if (at !== next) {
        output[output.length] = '<' + plural(at - next, 'empty item') + '>';
        next = at;
        if (output.length >= count) break;
      }
      output[output.length] = formatProperty(ctx, value, level, key, true);
      next++;
    }
    const rest = length - next;
    if (rest <= 0) return;
    output[output.length] = output.length < count ? '<' + plural(rest, 'empty item') + '>' : more(rest, 'item');
  }

  internal.arrayEntries = (ctx, value, level, output, shape) => {
    const { length } = value;
    const count = min(max(0, ctx.maxArrayLength), length);
    let numeric = shape.keys.length === 0;
    for (let i = 0; i < count && ctx.room > 0; i++) {
      const property = getOwn(value, i);
      if (property === undefined) {
        sparseEntries(ctx, value, level, output, count);
        return;
      }
      if (hasOwn(property, 'value')) {
        const item = property.value;
        if (typeof item !== 'number' && typeof item !== 'bigint') numeric = false;
        ctx.indentation += 2;
        output[i] = formatValue(ctx, item, level);
        ctx.indentation -= 2;
      } else {
        numeric = false;
        output[i] = formatAccessor(ctx, value, level, property.get, property.set);
      }
    }
    internal.addRest(ctx, output, length, count);
    shape.numeric = numeric;
  };

  function circular(ctx, value) {
    ctx.circular ??= new Map();
    let number = mapGet(ctx.circular, value);
    if (number === undefined) {
      number = mapSize(ctx.circular) + 1;
      mapSet(ctx.circular, value, number);
    }
    return '[Circular *' + number + ']';
  }

  /* The guest's own way to show an object; only where the guest itself calls util.inspect or util.format. */
  function formatCustom(ctx, value, shown, level) {
    const custom = lookUp(value, customSymbol);
    if (typeof custom !== 'function' || custom === internal.guestInspect) return undefined;
    const maker = lookUp(value, 'constructor');
    if (typeof maker === 'function' && !host.isProxy(maker)) {
      const made = getOwn(maker, 'prototype');
      if (made !== undefined && made.value === value) return undefined;
    }
    const depth = ctx.depth === null ? null : ctx.depth - level;
    const result = apply(custom, shown, [depth, internal.guestOptions(ctx), internal.guestInspect]);
    if (result === shown) return undefined;
    return typeof result === 'string' ? indented(result, ctx.indentation) : formatValue(ctx, result, level);
  }

  /* `isInner` marks the buffer of a typed array, whose bytes have just been shown. */
  function formatValue(ctx, value, level, isInner) {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null) {
      return formatPrimitive(ctx, value);
    }
    if (ctx.room <= 0) return '...';

    const given = value;
    if (host.isProxy(value)) {
      value = unwrap(value);
      if (value === null) return '<Revoked Proxy>';
    }
    if (ctx.customInspect) {
      const text = formatCustom(ctx, value, given, level);
      if (text !== undefined) return text;
    }
    const { seen } = ctx;
    for (let i = 0; i < seen.length; i++) if (seen[i] === value) return circular(ctx, value);
    return formatObject(ctx, value, level, isInner);
  }

  function formatObject(ctx, value, level, isInner) {
    const className = host.className(value);
    const constructor = constructorName(value, ctx, level);
    const tag = tagOf(value, className, ctx.showHidden);
    const isTyped = internal.isTypedArrayName(className);
    const isList = isTyped || className === 'Array';
    const shape = {
      __proto__: null, className, constructor, tag, isInner: isInner === true, isList, numeric: false,
      keys: isList ? extraKeys(value, ctx.showHidden, isTyped ? typedLength(value) : value.length)
        : className === 'String' ? extraKeys(value, ctx.showHidden, 0) : keysOf(value, ctx.showHidden),
      base: '', open: '{', close: '}', entries: null, whole: undefined,
    };

    if (internal.isError(value, className)) {
      shape.base = internal.formatError(ctx, value, constructor, tag, shape.keys);
    } else {
      kindOf(value, className)(ctx, value, shape);
    }
    if (shape.whole !== undefined) {
      ctx.room -= shape.whole.length;
      return shape.whole;
    }
    const { keys } = shape;
    if (shape.base !== '' && keys.length === 0) {
      ctx.room -= shape.base.length;
      return shape.base;
    }
    if ((level > ctx.depth && ctx.depth !== null) || level > deepest) {
      if (className === 'RegExp') return shape.base;
      const name = slice(plainPrefix(value, constructor, tag), 0, -1);
      ctx.room -= name.length + 2;
      return constructor !== null ? '[' + name + ']' : name;
    }

    level++;
    ctx.room -= shape.open.length + shape.base.length + 4;
    ctx.seen[ctx.seen.length] = value;
    ctx.currentLevel = level;
    const output = list();
    if (shape.entries !== null) shape.entries(ctx, value, level, output, shape);
    const entryCount = output.length;
    for (let i = 0; i < keys.length; i++) {
      if (ctx.room <= 0) {
        output[output.length] = '...';
        break;
      }
      output[output.length] = formatProperty(ctx, value, level, keys[i], false);
    }
    ctx.seen.length--;

    let { base } = shape;
    let { open } = shape;
    const number = ctx.circular === undefined ? undefined : mapGet(ctx.circular, value);
    if (number !== undefined) {
      const reference = '<ref *' + number + '>';
      if (ctx.compact === true) open = reference + ' ' + open;
      else base = base === '' ? reference : reference + ' ' + base;
    }
    if (ctx.sorted) sortOutput(ctx, output, shape.isList ? entryCount : 0);
    return layOut(ctx, output, base, open, shape.close, shape.isList, level, shape.numeric);
  }

  function sortOutput(ctx, output, from) {
    const tail = list();
    for (let i = from; i < output.length; i++) tail[tail.length] = output[i];
    if (typeof ctx.sorted === 'function') sort(tail, ctx.sorted);
    else sort(tail);
    for (let i = 0; i < tail.length; i++) output[from + i] = tail[i];
  }

  const defaults = {
    __proto__: null,
    showHidden: false, depth: 2, customInspect: true, maxArrayLength: 100, maxStringLength: 10000, breakLength: 80,
    compact: 3, sorted: false, getters: false,
  };

  internal.newContext = () => ({
    __proto__: null,
    showHidden: false, depth: 2, customInspect: false, maxArrayLength: 100, maxStringLength: 10000, breakLength: 80,
    compact: 3, sorted: false, getters: false,
    indentation: 0, currentLevel: 0, seen: list(), circular: undefined, room: roomForOneCall,
  });

  /* Takes over the options that a guest gave, as far as they are plain data. */
  internal.applyOptions = (ctx, options) => {
    options = unwrap(options);
    if (options === null) return;
    const keys = objectKeys(options);
    for (let i = 0; i < keys.length; i++) {
      const value = ownData(options, keys[i]);
      if (value === undefined || !hasOwn(defaults, keys[i])) continue;
      ctx[keys[i]] = value === null && keys[i] !== 'depth' ? Infinity : value;
    }
  };

  /* For the prelude's own use: no hooks of the guest are run. `options` has no prototype. */
  internal.inspect = (value, options) => {
    const ctx = internal.newContext();
    if (options !== undefined) {
      for (const key in options) ctx[key] = options[key];
    }
    return formatValue(ctx, value, 0);
  };

  internal.plainText = (value) => {
    if (typeof value === 'string') return value;
    return internal.inspect(value);
  };
  internal.formatValue = formatValue;
  internal.formatPrimitive = formatPrimitive;
  internal.inspectDefaults = defaults;
  internal.customInspectSymbol = customSymbol;
})
