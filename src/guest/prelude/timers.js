/* timers.js - setTimeout and its relatives, as Node has them
 *
 * The objects guests hold keep their record in a private field, which no guest code can read or forge.
 */
(function (host, internal) {
  'use strict';

  const { define, Number, Map, mapGet, mapSet, mapDelete } = internal.primordials;
  const { needFunction, typeError } = internal.errors;
  const { schedule, unschedule, queueImmediate, unqueueImmediate, count } = internal.timerQueue;

  const longestDelay = 2147483647;
  let lastId = 0;
  const byId = new Map();     /* only timers whose number was asked for */
  let timerOf;
  let immediateOf;

  /* Guests reach the classes through `constructor`; only the prelude has the key that makes an object of them. */
  const key = { __proto__: null };
  function checkKey(given) {
    if (given !== key) throw typeError('ERR_ILLEGAL_CONSTRUCTOR', 'Illegal constructor');
  }

  class Timeout {
    #timer;
    constructor(timer, given) {
      checkKey(given);
      this.#timer = timer;
    }
    static {
      timerOf = (value) => (#timer in value ? value.#timer : null);
    }
    ref() {
      count(this.#timer, true);
      return this;
    }
    unref() {
      count(this.#timer, false);
      return this;
    }
    hasRef() {
      return this.#timer.counted;
    }
    refresh() {
      if (this.#timer.run !== null) schedule(this.#timer);
      return this;
    }
    close() {
      stop(this.#timer);
      return this;
    }
    [Symbol.toPrimitive]() {
      const timer = this.#timer;
      if (timer.id === 0) {
        timer.id = ++lastId;
        mapSet(byId, timer.id, timer);
      }
      return timer.id;
    }
  }

  class Immediate {
    #immediate;
    constructor(immediate, given) {
      checkKey(given);
      this.#immediate = immediate;
    }
    static {
      immediateOf = (value) => (#immediate in value ? value.#immediate : null);
    }
    ref() {
      count(this.#immediate, true);
      return this;
    }
    unref() {
      count(this.#immediate, false);
      return this;
    }
    hasRef() {
      return this.#immediate.counted;
    }
  }

  function stop(timer) {
    unschedule(timer);
    timer.run = null;
    if (timer.id !== 0) mapDelete(byId, timer.id);
  }

  function startTimer(run, delay, args, repeats) {
    needFunction('callback', run);
    delay = typeof delay === 'number' ? delay : Number(delay);
    if (!(delay >= 1 && delay <= longestDelay)) delay = 1;
    const timer = {
      __proto__: null, due: 0, seq: 0, place: -1, delay, repeats, run, args, self: null, id: 0, counted: true,
    };
    schedule(timer);
    timer.self = new Timeout(timer, key);
    return timer.self;
  }

  function clearTimer(value) {
    if (value === null || value === undefined) return;
    let timer = null;
    if (typeof value === 'object') {
      timer = timerOf(value);
    } else if (typeof value === 'number' || typeof value === 'string') {
      timer = mapGet(byId, Number(value)) ?? null;
    }
    if (timer !== null) stop(timer);
  }

  const functions = {
    __proto__: null,
    setTimeout(callback, delay, ...args) {
      return startTimer(callback, delay, args, false);
    },
    setInterval(callback, delay, ...args) {
      return startTimer(callback, delay, args, true);
    },
    setImmediate(callback, ...args) {
      needFunction('callback', callback);
      const immediate = {
        __proto__: null, next: null, before: null, queued: false, batch: 0, place: -1,
        run: callback, args, self: null, counted: true,
      };
      queueImmediate(immediate);
      immediate.self = new Immediate(immediate, key);
      return immediate.self;
    },
    clearTimeout: (timer) => clearTimer(timer),
    clearInterval: (timer) => clearTimer(timer),
    clearImmediate(immediate) {
      if (typeof immediate !== 'object' || immediate === null) return;
      const record = immediateOf(immediate);
      if (record !== null) unqueueImmediate(record);
    },
  };

  internal.timers = functions;
  for (const name of Reflect.ownKeys(functions)) define(globalThis, name, functions[name]);
})
