/* ticks.js - the queue of process.nextTick, which runs before promise jobs
 */
(function (host, internal) {
  'use strict';

  const { apply } = internal.primordials;
  const { needFunction } = internal.errors;

  let first = null;
  let last = null;

  internal.nextTick = (run, args) => {
    needFunction('callback', run);
    const tick = { __proto__: null, run, args, next: null };
    if (first === null) {
      first = tick;
      last = tick;
      host.wantTicks();
    } else {
      last.next = tick;
      last = tick;
    }
  };

  /* Runs all of them, those that join on the way included. When one throws, the rest stays queued for the next call. */
  internal.exports.ticks = () => {
    let finished = false;
    try {
      while (first !== null) {
        const { run, args } = first;
        first = first.next;
        apply(run, undefined, args);
      }
      finished = true;
    } finally {
      if (!finished && first !== null) host.wantTicks();
    }
  };
})
