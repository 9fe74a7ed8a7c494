/* node_events.js - the module `events`
 *
 * An emitter keeps its listeners in `_events`: a map from name to a list that is never changed in place, so that
 * emitting goes through the list as it was. An entry is { run, listener }: the two differ for `once`.
 */
(function (host, internal) {
  'use strict';

  const {
    apply, defineProperty, hasOwn, list, Map, mapDelete, mapGet, mapKeys, mapNext, mapSet, mapSize, Promise, Symbol,
  } = internal.primordials;
  const { error: codedError, needFunction } = internal.errors;

  const errorMonitor = Symbol('events.errorMonitor');
  const asyncIterator = Symbol.asyncIterator;
  const nothing = list();

  function EventEmitter() {
    init(this);
  }

  function hidden(object, key, value) {
    defineProperty(object, key, { __proto__: null, value, writable: true, enumerable: false, configurable: true });
  }

  function init(emitter) {
    if (!hasOwn(emitter, '_events')) hidden(emitter, '_events', new Map());
    return emitter._events;
  }

  /* Emitters whose constructor never ran get their map when they first need it. */
  const listenersOf = (emitter, name) => mapGet(init(emitter), name) ?? nothing;

  function add(emitter, name, listener, once, first) {
    needFunction('listener', listener);
    const events = init(emitter);
    if (mapGet(events, 'newListener') !== undefined) emitter.emit('newListener', name, listener);
    const entry = { __proto__: null, run: listener, listener };
    if (once) {
      entry.run = function (...args) {
        remove(emitter, name, entry);
        return apply(listener, this, args);
      };
      entry.run.listener = listener;
    }
    const before = mapGet(events, name) ?? nothing;
    const after = list();
    if (first) after[0] = entry;
    for (let i = 0; i < before.length; i++) after[after.length] = before[i];
    if (!first) after[after.length] = entry;
    mapSet(events, name, after);
    warnOfLeak(emitter, name, after);
    return emitter;
  }

  function warnOfLeak(emitter, name, entries) {
    const most = emitter.getMaxListeners();
    if (most > 0 && entries.length > most && !entries[0].warned) {
      entries[0].warned = true;
      host.write(2, 'Warning: Possible EventEmitter memory leak detected. ' + entries.length + ' ' +
        internal.plainText(name) + ' listeners added. Use emitter.setMaxListeners() to increase limit\n');
    }
  }

  function remove(emitter, name, entry) {
    const events = init(emitter);
    const before = mapGet(events, name) ?? nothing;
    const after = list();
    let found = false;
    for (let i = 0; i < before.length; i++) {
      if (before[i] === entry) found = true;
      else after[after.length] = before[i];
    }
    if (!found) return;
    if (after.length === 0) mapDelete(events, name);
    else mapSet(events, name, after);
    if (mapGet(events, 'removeListener') !== undefined) emitter.emit('removeListener', name, entry.listener);
  }

  function throwUnhandled(value) {
    if (internal.isA(value, 'Error')) throw value;
    const error = codedError('ERR_UNHANDLED_ERROR', 'Unhandled error. (' + internal.inspect(value) + ')');
    error.context = value;
    throw error;
  }

  const methods = {
    emit(name, ...args) {
      if (name === 'error') {
        const watchers = listenersOf(this, errorMonitor);
        for (let i = 0; i < watchers.length; i++) apply(watchers[i].run, this, args);
        if (listenersOf(this, 'error').length === 0) throwUnhandled(args[0]);
      }
      const entries = listenersOf(this, name);
      for (let i = 0; i < entries.length; i++) apply(entries[i].run, this, args);
      return entries.length !== 0;
    },
    on(name, listener) {
      return add(this, name, listener, false, false);
    },
    addListener(name, listener) {
      return add(this, name, listener, false, false);
    },
    prependListener(name, listener) {
      return add(this, name, listener, false, true);
    },
    once(name, listener) {
      return add(this, name, listener, true, false);
    },
    prependOnceListener(name, listener) {
      return add(this, name, listener, true, true);
    },
    off(name, listener) {
      needFunction('listener', listener);
      const entries = listenersOf(this, name);
      for (let i = entries.length - 1; i >= 0; i--) {
        if (entries[i].listener !== listener && entries[i].run !== listener) continue;
        remove(this, name, entries[i]);
        break;
      }
      return this;
    },
    removeListener(name, listener) {
      return apply(methods.off, this, [name, listener]);
    },
    removeAllListeners(name) {
      const events = init(this);
      if (name === undefined) {
        hidden(this, '_events', new Map());
      } else {
        const entries = listenersOf(this, name);
        for (let i = entries.length - 1; i >= 0; i--) remove(this, name, entries[i]);
      }
      return this;
    },
    listenerCount(name, listener) {
      const entries = listenersOf(this, name);
      if (listener === undefined) return entries.length;
      let count = 0;
      for (let i = 0; i < entries.length; i++) if (entries[i].listener === listener) count++;
      return count;
    },
    listeners(name) {
      return copyOf(listenersOf(this, name), 'listener');
    },
    rawListeners(name) {
      return copyOf(listenersOf(this, name), 'run');
    },
    eventNames() {
      const events = init(this);
      const names = [];
      const keys = mapKeys(events);
      for (let i = mapSize(events); i > 0; i--) defineAt(names, names.length, mapNext(keys).value);
      return names;
    },
    setMaxListeners(most) {
      if (typeof most !== 'number' || !(most >= 0)) {
        throw internal.errors.rangeError('ERR_OUT_OF_RANGE', 'The value of "setMaxListeners" is out of range. ' +
          'It must be a non-negative number.' + ' Received ' + internal.inspect(most));
      }
      hidden(this, '_maxListeners', most);
      return this;
    },
    getMaxListeners() {
      return this._maxListeners ?? EventEmitter.defaultMaxListeners;
    },
  };

  /* Arrays for guests are ordinary ones, filled by definition. */
  function defineAt(array, index, value) {
    defineProperty(array, index, { __proto__: null, value, writable: true, enumerable: true, configurable: true });
  }

  function copyOf(entries, field) {
    const result = [];
    for (let i = 0; i < entries.length; i++) defineAt(result, i, entries[i][field]);
    return result;
  }

  function once(emitter, name) {
    return new Promise((resolve, reject) => {
      const onError = (error) => {
        emitter.off(name, onEvent);
        reject(error);
      };
      const onEvent = (...args) => {
        if (name !== 'error') emitter.off('error', onError);
        resolve(args);
      };
      emitter.once(name, onEvent);
      if (name !== 'error') emitter.once('error', onError);
    });
  }

  /* An endless async iterator over the argument lists of an event. */
  function on(emitter, name) {
    const queued = list();
    const wanted = list();
    let failure = null;
    let isOver = false;

    const shift = (queue) => {
      const first = queue[0];
      for (let i = 1; i < queue.length; i++) queue[i - 1] = queue[i];
      queue.length--;
      return first;
    };
    const onEvent = (...args) => {
      if (wanted.length !== 0) shift(wanted).resolve({ value: args, done: false });
      else queued[queued.length] = args;
    };
    const onError = (error) => {
      if (wanted.length !== 0) shift(wanted).reject(error);
      else failure = { __proto__: null, error };
      finish();
    };
    const finish = () => {
      emitter.off(name, onEvent);
      emitter.off('error', onError);
      isOver = true;
      while (wanted.length !== 0) shift(wanted).resolve({ value: undefined, done: true });
      return { value: undefined, done: true };
    };
    emitter.on(name, onEvent);
    if (name !== 'error') emitter.on('error', onError);

    return {
      next: () => new Promise((resolve, reject) => {
        if (queued.length !== 0) {
          resolve({ value: shift(queued), done: false });
        } else if (failure !== null) {
          reject(failure.error);
          failure = null;
        } else if (isOver) {
          resolve({ value: undefined, done: true });
        } else {
          wanted[wanted.length] = { __proto__: null, resolve, reject };
        }
      }),
      return: async () => finish(),
      async throw(error) {
        finish();
        throw error;
      },
      [asyncIterator]() {
        return this;
      },
    };
  }

  function makeEvents() {
    const names = internal.primordials.ownKeys(methods);
    for (let i = 0; i < names.length; i++) hidden(EventEmitter.prototype, names[i], methods[names[i]]);
    EventEmitter.defaultMaxListeners = 10;
    EventEmitter.errorMonitor = errorMonitor;
    EventEmitter.once = once;
    EventEmitter.on = on;
    EventEmitter.listenerCount = (emitter, name) => emitter.listenerCount(name);
    EventEmitter.getEventListeners = (emitter, name) => emitter.listeners(name);
    EventEmitter.EventEmitter = EventEmitter;
    return EventEmitter;
  }

  internal.modules.events = makeEvents;
})
