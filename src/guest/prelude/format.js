/* format.js - the arguments of a console call as one text: placeholders in the first, then the others
 *
 * The console runs no hooks of the guest: an object for %s is inspected, one for %d is a number only if it is a boxed
 * one or a date. util.format, which the guest calls itself, asks the objects as Node does.
 */
(function (host, internal) {
  'use strict';

  const {
    charCodeAt, dateTime, functionToString, indexOf, Number, numberValue, objectIs, parseFloat, parseInt, Set,
    setAdd, setHas, slice, String, stringValue, stringify, Symbol, symbolToString,
  } = internal.primordials;
  const { lookUp, unwrap } = internal.names;
  const { formatValue } = internal;

  const builtInToString = new Set();
  for (const maker of [Object, Function, Error, Array, Date, RegExp, Number, String, Boolean, Symbol, BigInt]) {
    setAdd(builtInToString, maker.prototype.toString);
  }

  /* Begins a new value in a context that already served others: the room that is left stays what it was. */
  function shownIn(ctx, value, depth, showHidden) {
    const before = ctx.depth;
    ctx.depth = depth;
    ctx.showHidden = showHidden;
    ctx.currentLevel = 0;
    ctx.circular = undefined;
    const text = formatValue(ctx, value, 0);
    ctx.depth = before;
    ctx.showHidden = false;
    return text;
  }

  const numberText = (value) => (objectIs(value, -0) ? '-0' : '' + value);

  /* An object as the primitive that %d, %i and %f convert. */
  function primitive(value, runsHooks) {
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null || runsHooks) return value;
    value = unwrap(value);
    switch (value === null ? '' : host.className(value)) {
      case 'Number': return numberValue(value);
      case 'String': return stringValue(value);
      case 'Date': return dateTime(value);
    }
    return undefined;
  }

  function asNumber(value, convert, runsHooks) {
    if (typeof value === 'bigint') return value + 'n';
    if (typeof value === 'symbol') return 'NaN';
    const simple = primitive(value, runsHooks);
    return typeof simple === 'bigint' ? simple + 'n' : typeof simple === 'symbol' ? 'NaN' : numberText(convert(simple));
  }

  function asString(ctx, value, runsHooks) {
    switch (typeof value) {
      case 'string': return value;
      case 'number': return numberText(value);
      case 'bigint': return value + 'n';
      case 'symbol': return symbolToString(value);
      case 'function': return runsHooks ? String(value) : functionToString(unwrap(value) ?? Number);
      case 'object': break;
      default: return '' + value;
    }
    if (value === null) return 'null';
    if (runsHooks) {
      const target = unwrap(value);
      const toString = target === null ? undefined : lookUp(target, 'toString');
      const custom = target === null ? undefined : lookUp(target, Symbol.toPrimitive);
      const isDate = target !== null && host.className(target) === 'Date';
      if (typeof toString === 'function' && !setHas(builtInToString, toString)) return String(value);
      if (typeof custom === 'function' && !isDate) return String(value);
    }
    return shownIn(ctx, value, 0, false);
  }

  function asJSON(ctx, value) {
    try {
      return '' + stringify(value);
    } catch (error) {
      return internal.isCycleError(error) ? '[Circular]' : shownIn(ctx, value, ctx.depth, false);
    }
  }

  /* Returns the text of a placeholder, or undefined for a letter that is none. */
  function replaced(ctx, letter, value, runsHooks) {
    switch (letter) {
      case 115: return asString(ctx, value, runsHooks);                         /* s */
      case 100: return asNumber(value, Number, runsHooks);                      /* d */
      case 105: return asNumber(value, parseInt, runsHooks);                    /* i */
      case 102: return asNumber(value, parseFloat, runsHooks);                  /* f */
      case 106: return asJSON(ctx, value);                                      /* j */
      case 79: return shownIn(ctx, value, ctx.depth, false);                    /* O */
      case 111: return shownIn(ctx, value, 4, true);                            /* o */
      case 99: return '';                                                       /* c */
    }
    return undefined;
  }

  internal.format = (ctx, args, runsHooks) => {
    const first = args[0];
    let text = '';
    let next = 0;
    if (typeof first === 'string' && args.length > 1) {
      let kept = 0;
      let used = 1;
      for (let at = indexOf(first, '%'); at !== -1 && at < first.length - 1; at = indexOf(first, '%', at)) {
        const letter = charCodeAt(first, at + 1);
        if (letter === 37) {
          text += slice(first, kept, at + 1);
          kept = at + 2;
        } else if (used < args.length) {
          const part = replaced(ctx, letter, args[used], runsHooks);
          if (part !== undefined) {
            text += slice(first, kept, at) + part;
            kept = at + 2;
            used++;
          }
        }
        at += 2;
      }
      text += slice(first, kept);
      next = used;
    }
    for (let i = next; i < args.length; i++) {
      if (i !== 0) text += ' ';
      const value = args[i];
      text += typeof value === 'string' ? value : shownIn(ctx, value, ctx.depth, false);
    }
    return text;
  };
})
