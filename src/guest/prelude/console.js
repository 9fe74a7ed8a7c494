/* console.js - the guest's console: text to the two output streams
 *
 * Every method works detached from the object. None runs guest code, and none throws because of what it is shown.
 */
(function (host, internal) {
  'use strict';

  const {
    captureStackTrace, define, endsWith, floor, indexOf, Map, mapDelete, mapGet, mapSet, Number, objectIs, padStart,
    slice, toFixed,
  } = internal.primordials;
  const { ownData } = internal.names;
  const { replaceLineFeeds } = internal.text;
  const { format, newContext, plainText } = internal;

  let indent = '';
  const counts = new Map();
  const times = new Map();

  function print(fd, text) {
    if (indent !== '') text = indent + replaceLineFeeds(text, '\n' + indent);
    host.write(fd, text + '\n');
  }

  function warning(text) {
    host.write(2, 'Warning: ' + text + '\n');
  }

  /* The common case, primitives without placeholders, is joined without the inspector. */
  function textOf(args) {
    const count = args.length;
    let text = '';
    for (let i = 0; i < count; i++) {
      const value = args[i];
      switch (typeof value) {
        case 'string':
          if (i !== 0 || count === 1 || indexOf(value, '%') === -1) break;
          return format(newContext(), args, false);
        case 'number':
          if (value !== 0 || !objectIs(value, -0)) break;
          return format(newContext(), args, false);
        case 'boolean':
        case 'undefined':
          break;
        default:
          return format(newContext(), args, false);
      }
      text = i === 0 ? '' + value : text + ' ' + value;
    }
    return text;
  }

  function label(value) {
    return value === undefined ? 'default' : plainText(value);
  }

  function duration(ms) {
    if (ms < 1000) return Number(toFixed(ms, 3)) + 'ms';
    if (ms < 60000) return toFixed(ms / 1000, 3) + 's';
    const seconds = padStart(toFixed((ms % 60000) / 1000, 3), 6, '0');
    const minutes = floor(ms / 60000) % 60;
    if (ms < 3600000) return minutes + ':' + seconds + ' (m:ss.mmm)';
    return floor(ms / 3600000) + ':' + padStart('' + minutes, 2, '0') + ':' + seconds + ' (h:mm:ss.mmm)';
  }

  function printTime(method, name, data) {
    const start = mapGet(times, name);
    if (start === undefined) {
      warning("No such label '" + name + "' for console." + method + '()');
      return;
    }
    const text = name + ': ' + duration(host.now() - start);
    print(1, data.length === 0 ? text : text + ' ' + format(newContext(), data, false));
  }

  const console = {
    log(...args) {
      print(1, textOf(args));
    },
    info(...args) {
      print(1, textOf(args));
    },
    debug(...args) {
      print(1, textOf(args));
    },
    dirxml(...args) {
      print(1, textOf(args));
    },
    warn(...args) {
      print(2, textOf(args));
    },
    error(...args) {
      print(2, textOf(args));
    },
    trace(...args) {
      const holder = { __proto__: null };
      captureStackTrace(holder, console.trace);
      const text = textOf(args);
      const frames = ownData(holder, 'stack');
      let trace = text === '' ? 'Trace' : 'Trace: ' + text;
      if (typeof frames === 'string' && frames !== '') {
        trace += internal.withoutOwnFrames('\n' + (endsWith(frames, '\n') ? slice(frames, 0, -1) : frames));
      }
      print(2, trace);
    },
    assert(condition, ...args) {
      if (condition) return;
      if (args.length === 0) print(2, 'Assertion failed');
      else print(2, 'Assertion failed: ' + textOf(args));
    },
    dir(value, options) {
      const ctx = newContext();
      if (typeof options === 'object' && options !== null) internal.applyOptions(ctx, options);
      ctx.customInspect = false;
      print(1, internal.formatValue(ctx, value, 0));
    },
    table(data, properties) {
      if (internal.table === undefined) internal.load('console_table.js');
      const text = internal.table(data, properties);
      print(1, text ?? textOf([data]));
    },
    group(...args) {
      if (args.length !== 0) print(1, textOf(args));
      indent += '  ';
    },
    groupCollapsed(...args) {
      if (args.length !== 0) print(1, textOf(args));
      indent += '  ';
    },
    groupEnd() {
      indent = slice(indent, 0, -2);
    },
    count(name) {
      name = label(name);
      const number = (mapGet(counts, name) ?? 0) + 1;
      mapSet(counts, name, number);
      print(1, name + ': ' + number);
    },
    countReset(name) {
      name = label(name);
      if (!mapDelete(counts, name)) warning("Count for '" + name + "' does not exist");
    },
    time(name) {
      name = label(name);
      if (mapGet(times, name) !== undefined) warning("Label '" + name + "' already exists for console.time()");
      else mapSet(times, name, host.now());
    },
    timeEnd(name) {
      name = label(name);
      printTime('timeEnd', name, []);
      mapDelete(times, name);
    },
    timeLog(name, ...data) {
      printTime('timeLog', label(name), data);
    },
    clear() {},
  };
  define(console, Symbol.toStringTag, 'console');
  define(globalThis, 'console', console);
  internal.console = console;
})
