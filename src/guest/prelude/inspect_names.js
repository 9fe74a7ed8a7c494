/* inspect_names.js - what an object calls itself, found without running guest code
 *
 * Only own data properties are read, and prototype chains are walked by hand: a getter is passed over, and a proxy is
 * replaced by its target before anything is asked of it.
 */
(function (host, internal) {
  'use strict';

  const {
    exec, functionPrototype, functionToString, getOwn, getPrototypeOf, hasOwn, objectPrototype, slice, Symbol,
  } = internal.primordials;

  const toStringTag = Symbol.toStringTag;
  const classSource = /^class(?=[\s{/])\s*[^\s(]/;

  /* The object behind a proxy, or null behind a revoked one; any other value as it is. */
  function unwrap(value) {
    while (host.isProxy(value)) {
      try {
        value = host.proxyTarget(value);
      } catch {
        return null;
      }
      if (value === undefined) return null;
    }
    return value;
  }

  function parent(object) {
    const proto = getPrototypeOf(object);
    return proto === null ? null : unwrap(proto);
  }

  /* The value of an own data property; undefined for accessors and where there is none. */
  function ownData(object, key) {
    const property = getOwn(object, key);
    return property !== undefined && hasOwn(property, 'value') ? property.value : undefined;
  }

  /* The same along the prototype chain. An accessor on the way hides what lies behind it. */
  function lookUp(object, key) {
    for (; object !== null; object = parent(object)) {
      const property = getOwn(object, key);
      if (property !== undefined) return hasOwn(property, 'value') ? property.value : undefined;
    }
    return undefined;
  }

  function inherits(object, proto) {
    do {
      object = parent(object);
      if (object === proto) return true;
    } while (object !== null);
    return false;
  }

  /* The name of the nearest constructor on the chain that made the object, null for an object without prototype. */
  function constructorName(object, ctx, level) {
    let at = object;
    let first;
    while (at !== null) {
      if (at !== object) {
        if (at === objectPrototype) return 'Object';
        if (at === functionPrototype) return 'Function';
      }
      const maker = ownData(at, 'constructor');
      if (typeof maker === 'function' && !host.isProxy(maker)) {
        const name = ownData(maker, 'name');
        if (typeof name === 'string' && name !== '') {
          const made = ownData(maker, 'prototype');
          if (typeof made === 'object' && made !== null && inherits(object, unwrap(made))) return name;
        }
      }
      at = parent(at);
      if (first === undefined) first = at;
    }
    if (first === null) return null;

    const name = host.className(object);
    if (ctx === undefined || (level > ctx.depth && ctx.depth !== null) || level > 50) {
      return name + ' <Complex prototype>';
    }
    const inner = constructorName(first, ctx, level + 1);
    return name + ' <' + (inner === null ? internal.inspect(first, { __proto__: null, depth: -1 }) : inner) + '>';
  }

  /* Symbol.toStringTag where it tells something new; typed arrays have theirs from a getter of the engine. */
  function tagOf(value, className, hidden) {
    let tag = lookUp(value, toStringTag);
    if (tag === undefined && internal.isTypedArrayName(className)) tag = className;
    if (typeof tag !== 'string' || tag === '') return '';
    const own = getOwn(value, toStringTag);
    return own !== undefined && (hidden || own.enumerable) ? '' : tag;
  }

  function prefix(constructor, tag, fallback, size) {
    if (constructor === null) {
      const name = '[' + fallback + size + ': null prototype] ';
      return tag !== '' && fallback !== tag ? name + '[' + tag + '] ' : name;
    }
    return tag !== '' && constructor !== tag ? constructor + size + ' [' + tag + '] ' : constructor + size + ' ';
  }

  /* What precedes the brace of an object of no particular kind. */
  function plainPrefix(value, constructor, tag) {
    if (constructor !== null) return prefix(constructor, tag, '', '');
    const className = host.className(value);
    if (tag === 'Module' && className === 'Object') return '[Module: null prototype] ';
    return prefix(null, tag, className === tag ? 'Object' : className, '');
  }

  function classBase(value, constructor, tag) {
    const name = ownData(value, 'name');
    let base = 'class ' + (typeof name === 'string' && name !== '' ? name : '(anonymous)');
    if (constructor !== 'Function' && constructor !== null) base += ' [' + constructor + ']';
    if (tag !== '' && constructor !== tag) base += ' [' + tag + ']';
    if (constructor !== null) {
      const above = parent(value);
      const superName = above === null ? undefined : lookUp(above, 'name');
      if (typeof superName === 'string' && superName !== '') base += ' extends ' + superName;
    } else {
      base += ' extends [null prototype]';
    }
    return '[' + base + ']';
  }

  function functionBase(value, constructor, tag) {
    const source = functionToString(value);
    if (exec(classSource, slice(source, 0, 4096)) !== null) return classBase(value, constructor, tag);
    const className = host.className(value);
    const type = className === 'GeneratorFunction' || className === 'AsyncFunction' ||
      className === 'AsyncGeneratorFunction' ? className : 'Function';
    const name = lookUp(value, 'name');
    let base = '[' + type;
    if (constructor === null) base += ' (null prototype)';
    base += typeof name !== 'string' || name === '' ? ' (anonymous)' : ': ' + name;
    base += ']';
    if (constructor !== type && constructor !== null) base += ' ' + constructor;
    if (tag !== '' && constructor !== tag) base += ' [' + tag + ']';
    return base;
  }

  /* Whether a value is an object of this class of the engine's; a proxy is of none. */
  internal.isA = (value, className) =>
    typeof value === 'object' && value !== null && !host.isProxy(value) && host.className(value) === className;

  internal.constructorName = (value) => {
    value = unwrap(value);
    return value === null ? 'Proxy' : constructorName(value);
  };
  internal.names = {
    __proto__: null, unwrap, parent, ownData, lookUp, constructorName, tagOf, prefix, plainPrefix, functionBase,
  };
})
