/* node_timers.js - the modules `timers` and `timers/promises`
 */
(function (host, internal) {
  'use strict';

  const { Promise } = internal.primordials;
  const { timers } = internal;
  const { argument } = internal.errors;

  const { setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate } = timers;

  function abortError(signal) {
    const error = internal.errors.error('ABORT_ERR', 'The operation was aborted');
    error.name = 'AbortError';
    if (signal.reason !== undefined) error.cause = signal.reason;
    return error;
  }

  /* A promise that `start(resolve)` settles unless the signal in the options is aborted before. */
  function waiting(options, start, stop) {
    if (options !== undefined && (typeof options !== 'object' || options === null)) {
      throw argument('options', 'of type object', options);
    }
    const signal = options?.signal;
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(abortError(signal));
        return;
      }
      const timer = start(resolve);
      if (options?.ref === false) timer.unref();
      signal?.addEventListener('abort', () => {
        stop(timer);
        reject(abortError(signal));
      }, { once: true });
    });
  }

  const wait = (delay, value, options) =>
    waiting(options, (resolve) => setTimeout(resolve, delay, value), clearTimeout);

  const turn = (value, options) => waiting(options, (resolve) => setImmediate(resolve, value), clearImmediate);

  /* Yields once per period. Periods that pass while the consumer is busy are counted and yielded at once afterwards. */
  async function* every(delay, value, options) {
    const signal = options?.signal;
    if (signal?.aborted) throw abortError(signal);
    let due = 0;
    let wake = null;
    let aborted = false;
    const notify = () => {
      if (wake !== null) wake();
      wake = null;
    };
    const timer = setInterval(() => {
      due++;
      notify();
    }, delay);
    if (options?.ref === false) timer.unref();
    signal?.addEventListener('abort', () => {
      aborted = true;
      notify();
    }, { once: true });
    try {
      for (;;) {
        if (due === 0 && !aborted) {
          await new Promise((resolve) => {
            wake = resolve;
          });
        }
        if (aborted) throw abortError(signal);
        for (; due > 0; due--) yield value;
      }
    } finally {
      clearInterval(timer);
    }
  }

  let promises;
  const makePromises = () => promises ??= {
    setTimeout: wait,
    setImmediate: turn,
    setInterval: every,
    scheduler: { wait: (delay, options) => wait(delay, undefined, options), yield: () => turn() },
  };

  internal.modules['timers/promises'] = makePromises;
  internal.modules.timers = () => ({
    setTimeout, setInterval, setImmediate, clearTimeout, clearInterval, clearImmediate, promises: makePromises(),
  });
})
