/* process.js - `process` as far as a guest may have one, and `performance`
 *
 * Nothing here tells about the host: the arguments are fixed, the environment is empty, the working folder is "/", and
 * there is no version, process id or binding.
 */
(function (host, internal) {
  'use strict';

  const { BigInt, dateNow, define, exec, isInteger, Number, round, trunc } = internal.primordials;
  const { argument } = internal.errors;

  function exitCode(code) {
    if (code === undefined || code === null) return 0;
    if (typeof code === 'number' && isInteger(code)) return code;
    if (typeof code === 'string' && exec(/^\s*[+-]?\d+\s*$/, code) !== null) return Number(code);
    throw argument('code', 'of type number', code);
  }

  function writeBytes(fd, bytes) {
    if (internal.utf8Decode === undefined) internal.load('utf8.js');
    host.write(fd, internal.utf8Decode(bytes));
  }

  function stream(fd) {
    return {
      isTTY: false,
      writable: true,
      fd,
      write(chunk, encoding, callback) {
        if (typeof chunk === 'string') host.write(fd, chunk);
        else if (internal.isA(chunk, 'Uint8Array')) writeBytes(fd, chunk);
        else throw argument('chunk', 'of type string or an instance of Buffer or Uint8Array', chunk);
        const done = typeof encoding === 'function' ? encoding : callback;
        if (typeof done === 'function') internal.nextTick(done, []);
        return true;
      },
    };
  }

  function hrtime(since) {
    const now = host.now();
    let seconds = trunc(now / 1000);
    let nanoseconds = round((now - seconds * 1000) * 1e6);
    if (since !== undefined) {
      if (typeof since !== 'object' || since === null) throw argument('time', 'an instance of Array', since);
      seconds -= since[0];
      nanoseconds -= since[1];
      if (nanoseconds < 0) {
        seconds--;
        nanoseconds += 1e9;
      }
    }
    return [seconds, nanoseconds];
  }
  define(hrtime, 'bigint', { bigint: () => BigInt(round(host.now() * 10)) * 100000n }.bigint);

  function memoryUsage() {
    const bytes = host.memoryUsage();
    return { rss: bytes, heapTotal: bytes, heapUsed: bytes, external: 0, arrayBuffers: 0 };
  }
  define(memoryUsage, 'rss', { rss: () => host.memoryUsage() }.rss);

  const process = {
    title: 'cloche',
    platform: 'linux',
    arch: 'wasm32',
    argv: ['cloche', 'main.js'],
    execArgv: [],
    env: {},
    exitCode: undefined,
    stdout: stream(1),
    stderr: stream(2),
    cwd: () => '/',
    exit: (code) => host.exit(exitCode(code === undefined ? process.exitCode : code)),
    nextTick: (callback, ...args) => internal.nextTick(callback, args),
    hrtime,
    uptime: () => host.now() / 1000,
    memoryUsage,
    emitWarning(warning) {
      host.write(2, 'Warning: ' + internal.plainText(warning) + '\n');
    },
    on: () => process,
    once: () => process,
    off: () => process,
    addListener: () => process,
    removeListener: () => process,
    removeAllListeners: () => process,
    emit: () => false,
    listeners: () => [],
    listenerCount: () => 0,
  };
  define(process, Symbol.toStringTag, 'process');
  define(globalThis, 'process', process);
  define(globalThis, 'global', globalThis);

  let origin;
  const performance = {
    now: () => host.now(),
    get timeOrigin() {
      return origin ??= dateNow() - host.now();
    },
    toJSON: () => ({ timeOrigin: performance.timeOrigin }),
  };
  define(performance, Symbol.toStringTag, 'Performance');
  define(globalThis, 'performance', performance);
})
