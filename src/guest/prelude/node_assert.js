/* node_assert.js - the modules `assert` and `assert/strict`
 */
(function (host, internal) {
  'use strict';

  const {
    apply, defineProperty, endsWith, Error, exec, indexOf, isPrototypeOf, objectIs, objectKeys, ownKeys,
  } = internal.primordials;
  const { lines } = internal.text;
  const { isA } = internal;
  const { argument } = internal.errors;

  const isObject = (value) => (typeof value === 'object' && value !== null) || typeof value === 'function';
  const show = (value) => internal.inspect(value, { __proto__: null, depth: 1000, sorted: true, compact: false });

  const opening = {
    __proto__: null,
    strictEqual: 'Expected values to be strictly equal:',
    deepStrictEqual: 'Expected values to be strictly deep-equal:',
    deepEqual: 'Expected values to be loosely deep-equal:',
    notStrictEqual: 'Expected "actual" to be strictly unequal to:',
    notDeepStrictEqual: 'Expected "actual" not to be strictly deep-equal to:',
    notDeepEqual: 'Expected "actual" not to be loosely deep-equal to:',
  };

  /* The lines that differ, marked; those that both texts begin and end with stay unmarked. */
  function compared(a, b) {
    const left = lines(a);
    const right = lines(b);
    let head = 0;
    while (head < left.length && head < right.length && left[head] === right[head]) head++;
    let tail = 0;
    while (tail < left.length - head && tail < right.length - head &&
           left[left.length - 1 - tail] === right[right.length - 1 - tail]) tail++;
    let text = '+ actual - expected\n\n';
    for (let i = 0; i < head; i++) text += '  ' + left[i];
    for (let i = head; i < left.length - tail; i++) text += '+ ' + withLineFeed(left[i]);
    for (let i = head; i < right.length - tail; i++) text += '- ' + withLineFeed(right[i]);
    for (let i = left.length - tail; i < left.length; i++) text += '  ' + left[i];
    return text;
  }

  const withLineFeed = (line) => (endsWith(line, '\n') ? line : line + '\n');

  function describe(actual, expected, operator) {
    const a = show(actual);
    const b = show(expected);
    switch (operator) {
      case '==':
      case '!=':
        return a + ' ' + operator + ' ' + b;
      case 'notStrictEqual':
      case 'notDeepStrictEqual':
      case 'notDeepEqual':
        return opening[operator] + (indexOf(a, '\n') === -1 ? ' ' + a : '\n\n' + a + '\n');
      case 'deepEqual':
        return opening.deepEqual + '\n\n' + a + '\n\nshould loosely deep-equal\n\n' + b;
    }
    if (!isObject(actual) && !isObject(expected) && a.length + b.length < 72) {
      return opening[operator] + '\n\n' + a + ' !== ' + b + '\n';
    }
    return opening[operator] + '\n' + compared(a, b);
  }

  class AssertionError extends Error {
    constructor(options) {
      if (typeof options !== 'object' || options === null) throw argument('options', 'of type object', options);
      const { actual, expected, operator, message } = options;
      super(message !== undefined ? '' + message : describe(actual, expected, operator));
      defineProperty(this, 'name', { __proto__: null, value: 'AssertionError', writable: true, configurable: true });
      this.generatedMessage = message === undefined;
      this.code = 'ERR_ASSERTION';
      this.actual = actual;
      this.expected = expected;
      this.operator = operator;
    }
    toString() {
      return this.name + ' [' + this.code + ']: ' + this.message;
    }
  }

  const isError = (value) => isA(value, 'Error');

  const isComparison = (operator) =>
    operator !== 'throws' && operator !== 'rejects' && operator !== 'doesNotThrow' && operator !== 'doesNotReject' &&
    operator !== 'ifError';

  function fail(actual, expected, message, operator, standard) {
    if (isError(message)) throw message;
    const error = new AssertionError({ __proto__: null, actual, expected, operator, message: message ?? standard });
    error.generatedMessage = message === undefined && isComparison(operator);
    throw error;
  }

  function deepEqual(a, b, strict) {
    if (internal.deepEqual === undefined) internal.load('node_equal.js');
    return internal.deepEqual(a, b, strict);
  }

  const truthy = (value, message, count) => {
    if (value) return;
    if (count === 0) fail(value, true, undefined, '==', 'No value argument passed to `assert.ok()`');
    fail(value, true, message, '==', 'The expression evaluated to a falsy value:\n\n  ' + show(value) + '\n');
  };

  /* Whether what was thrown is as expected: of a class, matching a pattern, approved by a function, or with the
   * properties of an object.
   */
  function checkThrown(thrown, expected, message, operator) {
    if (expected === undefined) return;
    if (typeof expected === 'function') {
      if (isObject(expected.prototype) && isObject(thrown) && isPrototypeOf(expected.prototype, thrown)) return;
      if (expected === Error || isPrototypeOf(Error, expected)) {
        fail(thrown, expected, message, operator, 'The error is expected to be an instance of "' + expected.name +
          '". Received ' + (isObject(thrown) ? '"' + internal.constructorName(thrown) + '"\n\nError message:\n\n' +
          thrown.message : '"' + show(thrown) + '"'));
      }
      if (apply(expected, {}, [thrown]) === true) return;
      fail(thrown, expected, message, operator, 'The validation function is expected to return "true". Received ' +
        'something else\n\nCaught error:\n\n' + internal.plainText(thrown));
    }
    if (isA(expected, 'RegExp')) {
      if (exec(expected, internal.plainThrown(thrown)) !== null) return;
      fail(thrown, expected, message, operator, 'The input did not match the regular expression ' + show(expected) +
        '. Input:\n\n' + show(internal.plainThrown(thrown)) + '\n');
    }
    const keys = objectKeys(expected);
    if (isError(expected)) {
      keys[keys.length] = 'name';
      keys[keys.length] = 'message';
    }
    for (let i = 0; i < keys.length; i++) {
      const wanted = expected[keys[i]];
      const found = isObject(thrown) ? thrown[keys[i]] : undefined;
      if (isA(wanted, 'RegExp') && typeof found === 'string') {
        if (exec(wanted, found) !== null) continue;
      } else if (deepEqual(found, wanted, true)) {
        continue;
      }
      fail(thrown, expected, message, operator, undefined);
    }
  }

  internal.plainThrown = (value) => {
    if (!isObject(value)) return internal.plainText(value);
    const { name, message } = value;
    return message === undefined || message === '' ? '' + name : name + ': ' + message;
  };

  function missing(expected, message, kind, operator) {
    if (typeof expected === 'string') {
      message = expected;
      expected = undefined;
    }
    const named = typeof expected === 'function' && expected.name ? ' (' + expected.name + ')' : '';
    fail(undefined, expected, undefined, operator, 'Missing expected ' + kind + named +
      (message !== undefined ? ': ' + message : '.'));
  }

  function unwanted(thrown, message, kind, operator) {
    const detail = typeof message === 'string' ? ': ' + message : '.';
    fail(thrown, undefined, undefined, operator, 'Got unwanted ' + kind + detail + '\nActual message: "' +
      (isObject(thrown) ? thrown.message : internal.plainText(thrown)) + '"');
  }

  async function outcome(promise) {
    if (typeof promise === 'function') promise = promise();
    try {
      return { __proto__: null, isRejected: false, value: await promise };
    } catch (error) {
      return { __proto__: null, isRejected: true, value: error };
    }
  }

  const methods = {
    fail: (message) => fail(undefined, undefined, message, 'fail', 'Failed'),
    equal(a, b, message) {
      if (!(a == b || (objectIs(a, NaN) && objectIs(b, NaN)))) fail(a, b, message, '==');
    },
    notEqual(a, b, message) {
      if (a == b || (objectIs(a, NaN) && objectIs(b, NaN))) fail(a, b, message, '!=');
    },
    strictEqual(a, b, message) {
      if (!objectIs(a, b)) fail(a, b, message, 'strictEqual');
    },
    notStrictEqual(a, b, message) {
      if (objectIs(a, b)) fail(a, b, message, 'notStrictEqual');
    },
    deepEqual(a, b, message) {
      if (!deepEqual(a, b, false)) fail(a, b, message, 'deepEqual');
    },
    notDeepEqual(a, b, message) {
      if (deepEqual(a, b, false)) fail(a, b, message, 'notDeepEqual');
    },
    deepStrictEqual(a, b, message) {
      if (!deepEqual(a, b, true)) fail(a, b, message, 'deepStrictEqual');
    },
    notDeepStrictEqual(a, b, message) {
      if (deepEqual(a, b, true)) fail(a, b, message, 'notDeepStrictEqual');
    },
    throws(run, expected, message) {
      internal.errors.needFunction('fn', run);
      let thrown;
      try {
        run();
      } catch (error) {
        thrown = { __proto__: null, error };
      }
      if (thrown === undefined) missing(expected, message, 'exception', 'throws');
      if (typeof expected !== 'string') checkThrown(thrown.error, expected, message, 'throws');
    },
    doesNotThrow(run, expected, message) {
      internal.errors.needFunction('fn', run);
      try {
        run();
      } catch (error) {
        unwanted(error, typeof expected === 'string' ? expected : message, 'exception', 'doesNotThrow');
      }
    },
    async rejects(promise, expected, message) {
      const { isRejected, value } = await outcome(promise);
      if (!isRejected) missing(expected, message, 'rejection', 'rejects');
      if (typeof expected !== 'string') checkThrown(value, expected, message, 'rejects');
    },
    async doesNotReject(promise, expected, message) {
      const { isRejected, value } = await outcome(promise);
      if (isRejected) unwanted(value, typeof expected === 'string' ? expected : message, 'rejection', 'doesNotReject');
    },
    match(text, pattern, message) {
      if (typeof text !== 'string' || exec(pattern, text) === null) {
        fail(text, pattern, message, 'match', 'The input did not match the regular expression ' + show(pattern) +
          '. Input:\n\n' + show(text) + '\n');
      }
    },
    doesNotMatch(text, pattern, message) {
      if (typeof text === 'string' && exec(pattern, text) !== null) {
        fail(text, pattern, message, 'doesNotMatch', 'The input was expected to not match the regular expression ' +
          show(pattern) + '. Input:\n\n' + show(text) + '\n');
      }
    },
    ifError(value) {
      if (value !== null && value !== undefined) {
        fail(value, null, undefined, 'ifError', 'ifError got unwanted exception: ' +
          (isObject(value) ? value.message : show(value)));
      }
    },
  };

  function make(isStrict) {
    const assert = (...args) => truthy(args[0], args[1], args.length);
    assert.ok = (...args) => truthy(args[0], args[1], args.length);
    const names = ownKeys(methods);
    for (let i = 0; i < names.length; i++) assert[names[i]] = methods[names[i]];
    if (isStrict) {
      assert.equal = methods.strictEqual;
      assert.notEqual = methods.notStrictEqual;
      assert.deepEqual = methods.deepStrictEqual;
      assert.notDeepEqual = methods.notDeepStrictEqual;
    }
    assert.AssertionError = AssertionError;
    return assert;
  }

  let strict;
  const makeStrict = () => {
    if (strict === undefined) {
      strict = make(true);
      strict.strict = strict;
    }
    return strict;
  };
  internal.modules['assert/strict'] = makeStrict;
  internal.modules.assert = () => {
    const assert = make(false);
    assert.strict = makeStrict();
    return assert;
  };
})
