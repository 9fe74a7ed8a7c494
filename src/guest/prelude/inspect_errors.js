/* inspect_errors.js - errors as text: the line with name and message, the stack, what caused them
 *
 * The engine keeps the frames alone in `stack`; guests that set `stack` themselves usually put a first line there, as
 * V8 does. Both forms are shown as V8's. Getters are not run: an error whose name or message is one goes without.
 */
(function (host, internal) {
  'use strict';

  const {
    endsWith, errorPrototype, errorStack, exec, getOwn, getter, hasOwn, indexOf, isArray, lastIndexOf, slice,
    startsWith, String,
  } = internal.primordials;
  const { lookUp, ownData, parent, prefix } = internal.names;
  const { indented } = internal.text;

  const longest = 65536;
  const ownFrame = ' (<null>:0:1)';
  const hasDOMException = typeof DOMException === 'function';
  const domName = hasDOMException ? getter(DOMException.prototype, 'name') : null;
  const domMessage = hasDOMException ? getter(DOMException.prototype, 'message') : null;

  const upperName = /^([A-Z][a-z_ A-Z0-9[\]()-]+)(?::|\n {4}at)/;
  const bareName = /^([a-z_A-Z0-9-]*Error)$/;

  /* A property that takes part in the first line: its text, or `missing`. */
  function part(error, key, missing) {
    if (host.className(error) === 'DOMException') return key === 'name' ? domName(error) : domMessage(error);
    const value = lookUp(error, key);
    if (typeof value === 'string') return value;
    return value === undefined || value === null || typeof value === 'object' || typeof value === 'function'
      ? missing : String(value);
  }

  function firstLine(error) {
    const name = part(error, 'name', 'Error');
    const message = part(error, 'message', '');
    return message === '' ? name : name === '' ? message : name + ': ' + message;
  }

  /* The `stack` as the guest would read it, except that no code of the guest's is run. */
  function rawStack(error) {
    for (let at = error; at !== null && at !== errorPrototype; at = parent(at)) {
      if (getOwn(at, 'stack') !== undefined) return ownData(at, 'stack');
    }
    try {
      return errorStack(error);
    } catch {
      return undefined;
    }
  }

  /* The prelude's functions carry no debug information, and their frames tell a guest nothing. */
  function withoutOwnFrames(stack) {
    for (let at = indexOf(stack, ownFrame); at !== -1; at = indexOf(stack, ownFrame, at)) {
      const start = lastIndexOf(stack, '\n', at);
      if (start === -1) return stack;
      stack = slice(stack, 0, start) + slice(stack, at + ownFrame.length);
      at = start;
    }
    return stack;
  }

  internal.withoutOwnFrames = withoutOwnFrames;

  function stackText(error) {
    let stack = rawStack(error);
    if (typeof stack !== 'string' || stack === '') return firstLine(error);
    if (startsWith(stack, '    at ')) stack = firstLine(error) + '\n' + stack;
    if (endsWith(stack, '\n')) stack = slice(stack, 0, -1);
    stack = withoutOwnFrames(stack);
    return stack.length > longest ? slice(stack, 0, longest) + '...' : stack;
  }

  /* Makes the first line name the class, where it only gives the name that the class inherits. */
  function withClassName(stack, constructor, name, tag) {
    let length = name.length;
    const looksNormal = endsWith(name, 'Error') && startsWith(stack, name) &&
      (stack.length === length || stack[length] === ':' || stack[length] === '\n');
    if (constructor !== null && !looksNormal) return stack;
    let fallback = 'Error';
    if (constructor === null) {
      const start = exec(upperName, stack) ?? exec(bareName, stack);
      fallback = start !== null ? start[1] : '';
      length = fallback.length;
      fallback = fallback === '' ? 'Error' : fallback;
    }
    const title = slice(prefix(constructor, tag, fallback, ''), 0, -1);
    if (name === title) return stack;
    if (indexOf(title, name) === -1) return title + ' [' + name + ']' + slice(stack, length);
    return length === 0 ? title + ': ' + stack : title + slice(stack, length);
  }

  function dropKey(keys, key) {
    for (let i = 0; i < keys.length; i++) {
      if (keys[i] !== key) continue;
      for (; i + 1 < keys.length; i++) keys[i] = keys[i + 1];
      keys.length--;
      return;
    }
  }

  function addKey(keys, key) {
    for (let i = 0; i < keys.length; i++) if (keys[i] === key) return;
    keys[keys.length] = key;
  }

  internal.isError = (value, className) => {
    if (className === 'Error' || className === 'DOMException') return true;
    if (className !== 'Object') return false;
    for (let at = parent(value); at !== null; at = parent(at)) if (at === errorPrototype) return true;
    return false;
  };

  /* Returns the text and changes `keys` to the properties that are still to be shown. */
  internal.formatError = (ctx, error, constructor, tag, keys) => {
    const name = part(error, 'name', 'Error');
    const message = part(error, 'message', '');
    let stack = stackText(error);

    if (!ctx.showHidden && keys.length !== 0) {
      if (indexOf(stack, name) !== -1) dropKey(keys, 'name');
      if (indexOf(stack, message) !== -1) dropKey(keys, 'message');
      const own = ownData(error, 'stack');
      if (typeof own === 'string' && indexOf(stack, own) !== -1) dropKey(keys, 'stack');
    }
    if (hasOwn(error, 'cause')) addKey(keys, 'cause');
    if (isArray(ownData(error, 'errors'))) addKey(keys, 'errors');

    stack = withClassName(stack, constructor, name, tag);
    let from = message === '' ? -1 : indexOf(stack, message);
    if (from !== -1) from += message.length;
    if (indexOf(stack, '\n    at', from) === -1) stack = '[' + stack + ']';
    return indented(stack, ctx.indentation);
  };
})
