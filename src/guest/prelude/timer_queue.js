/* timer_queue.js - which callback is next: a heap of timers, a list of immediates, and the order between them
 *
 * Records are plain data that no guest can reach:
 *
 *   timer      { due, seq, place, delay, repeats, run, args, self, id, counted }    place in the heap, or -1
 *   immediate  { next, before, queued, batch, place, run, args, self, counted }     place is always -1
 *
 * A pass runs the timers that were due when it began, then the immediates queued before it began on them, and so on,
 * so neither kind can starve the other. Whatever a callback adds waits for the next pass.
 */
(function (host, internal) {
  'use strict';

  const { list, apply, max } = internal.primordials;
  const { error } = internal.errors;

  const heap = list();
  let sequence = 0;
  let live = 0;
  let unreferenced = 0;

  let firstImmediate = null;
  let lastImmediate = null;
  let batch = 0;              /* immediates of this number or a lower one belong to the pass that runs now */

  let timersOpen = false;     /* whether the running pass is still at its timers */
  let passTime = 0;

  const earlier = (a, b) => a.due < b.due || (a.due === b.due && a.seq < b.seq);

  function place(timer, at) {
    heap[at] = timer;
    timer.place = at;
  }

  function siftUp(timer, at) {
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (!earlier(timer, heap[parent])) break;
      place(heap[parent], at);
      at = parent;
    }
    place(timer, at);
  }

  function siftDown(timer, at) {
    const count = heap.length;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= count) break;
      if (child + 1 < count && earlier(heap[child + 1], heap[child])) child++;
      if (!earlier(heap[child], timer)) break;
      place(heap[child], at);
      at = child;
    }
    place(timer, at);
  }

  function takeRoom(record) {
    if (live >= host.maxTimers()) {
      throw error('ERR_LIMIT', 'Too many timers: at most ' + host.maxTimers() + ' may be pending at once');
    }
    host.timers(++live);
    if (!record.counted) unreferenced++;
  }

  function giveRoom(record) {
    host.timers(--live);
    if (!record.counted) unreferenced--;
  }

  function schedule(timer) {
    if (timer.place !== -1) unschedule(timer);
    takeRoom(timer);
    timer.due = host.now() + timer.delay;
    timer.seq = ++sequence;
    siftUp(timer, heap.length);
  }

  function unschedule(timer) {
    const at = timer.place;
    if (at === -1) return;
    const last = heap[heap.length - 1];
    heap.length--;
    timer.place = -1;
    giveRoom(timer);
    if (last === timer) return;
    if (at > 0 && earlier(last, heap[(at - 1) >> 1])) siftUp(last, at);
    else siftDown(last, at);
  }

  function queueImmediate(record) {
    takeRoom(record);
    record.queued = true;
    record.batch = batch + 1;
    record.before = lastImmediate;
    record.next = null;
    if (lastImmediate === null) firstImmediate = record;
    else lastImmediate.next = record;
    lastImmediate = record;
  }

  function unqueueImmediate(record) {
    if (!record.queued) return;
    record.queued = false;
    if (record.before === null) firstImmediate = record.next;
    else record.before.next = record.next;
    if (record.next === null) lastImmediate = record.before;
    else record.next.before = record.before;
    giveRoom(record);
  }

  /* Whether a record keeps the run alive; see `referenced`. */
  function count(record, counted) {
    if (record.counted === counted) return;
    record.counted = counted;
    if (record.place !== -1 || record.queued) unreferenced += counted ? -1 : 1;
  }

  function runTimer(timer) {
    unschedule(timer);
    apply(timer.run, timer.self, timer.args);
    if (timer.repeats && timer.run !== null && timer.place === -1) schedule(timer);
  }

  function runImmediate(record) {
    unqueueImmediate(record);
    apply(record.run, record.self, record.args);
  }

  internal.timerQueue = { __proto__: null, schedule, unschedule, queueImmediate, unqueueImmediate, count };

  /* Runs at most one callback and returns -1, or returns the milliseconds until there will be one to run. */
  internal.exports.turn = () => {
    for (let half = 0; half < 3; half++) {
      if (timersOpen) {
        const timer = heap.length !== 0 ? heap[0] : null;
        if (timer !== null && timer.due <= passTime) {
          runTimer(timer);
          return -1;
        }
        timersOpen = false;
        batch++;
      }
      if (firstImmediate !== null && firstImmediate.batch <= batch) {
        runImmediate(firstImmediate);
        return -1;
      }
      timersOpen = true;
      passTime = host.now();
    }
    return heap.length === 0 ? Infinity : max(0, heap[0].due - host.now());
  };


  /* Pending timers and immediates that were not `unref`ed. */
  internal.exports.referenced = () => live - unreferenced;
})
