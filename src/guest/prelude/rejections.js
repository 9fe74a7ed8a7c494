/* rejections.js - which rejected promises still have nobody to handle them
 */
(function (host, internal) {
  'use strict';

  const { Map, mapSet, mapDelete, mapKeys, mapNext } = internal.primordials;

  const open = new Map();

  /* The engine reports a promise when it is rejected without a handler, and again when it gets one after all. */
  internal.exports.reject = (promise, isHandled) => {
    if (isHandled) mapDelete(open, promise);
    else mapSet(open, promise, true);
  };

  /* The one that was rejected first, or undefined. */
  internal.exports.unhandled = () => mapNext(mapKeys(open)).value;
})
