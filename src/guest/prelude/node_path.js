/* node_path.js - the module `path`, for POSIX paths
 */
(function (host, internal) {
  'use strict';

  const { charCodeAt, endsWith, join, lastIndexOf, list, slice, startsWith } = internal.primordials;
  const { argument, needString } = internal.errors;

  /* The parts between slashes, without empty ones, "." and what ".." takes back. Above the start, ".." is kept. */
  function parts(path, isAbsolute) {
    const kept = list();
    let start = 0;
    for (let i = 0; i <= path.length; i++) {
      if (i < path.length && charCodeAt(path, i) !== 47) continue;
      const part = slice(path, start, i);
      start = i + 1;
      if (part === '' || part === '.') continue;
      if (part !== '..') kept[kept.length] = part;
      else if (kept.length !== 0 && kept[kept.length - 1] !== '..') kept.length--;
      else if (!isAbsolute) kept[kept.length] = part;
    }
    return kept;
  }

  const isAbsolute = (path) => {
    needString('path', path);
    return startsWith(path, '/');
  };

  function normalize(path) {
    needString('path', path);
    if (path === '') return '.';
    const absolute = startsWith(path, '/');
    let text = join(parts(path, absolute), '/');
    if (text === '') return absolute ? '/' : endsWith(path, '/') ? './' : '.';
    if (endsWith(path, '/')) text += '/';
    return absolute ? '/' + text : text;
  }

  function joinPaths(...paths) {
    let joined = '';
    for (let i = 0; i < paths.length; i++) {
      needString('path', paths[i]);
      if (paths[i] !== '') joined = joined === '' ? paths[i] : joined + '/' + paths[i];
    }
    return joined === '' ? '.' : normalize(joined);
  }

  function resolve(...paths) {
    let path = '';
    for (let i = paths.length - 1; i >= 0 && !startsWith(path, '/'); i--) {
      needString('paths[' + i + ']', paths[i]);
      if (paths[i] !== '') path = path === '' ? paths[i] : paths[i] + '/' + path;
    }
    if (!startsWith(path, '/')) path = '/' + path;
    return '/' + join(parts(path, true), '/');
  }

  function relative(from, to) {
    needString('from', from);
    needString('to', to);
    const source = parts(resolve(from), true);
    const target = parts(resolve(to), true);
    let same = 0;
    while (same < source.length && same < target.length && source[same] === target[same]) same++;
    const steps = list();
    for (let i = same; i < source.length; i++) steps[steps.length] = '..';
    for (let i = same; i < target.length; i++) steps[steps.length] = target[i];
    return join(steps, '/');
  }

  function withoutTrailingSlashes(path) {
    let end = path.length;
    while (end > 1 && charCodeAt(path, end - 1) === 47) end--;
    return slice(path, 0, end);
  }

  function dirname(path) {
    needString('path', path);
    if (path === '') return '.';
    const text = withoutTrailingSlashes(path);
    const at = lastIndexOf(text, '/');
    if (at === -1) return '.';
    if (at === 1 && startsWith(text, '//')) return '//';
    return at === 0 ? '/' : withoutTrailingSlashes(slice(text, 0, at));
  }

  function basename(path, suffix) {
    needString('path', path);
    if (suffix !== undefined) needString('suffix', suffix);
    const text = withoutTrailingSlashes(path);
    const name = slice(text, lastIndexOf(text, '/') + 1);
    const hasSuffix = suffix !== undefined && suffix !== name && endsWith(name, suffix);
    return hasSuffix ? slice(name, 0, name.length - suffix.length) : name;
  }

  function extname(path) {
    const name = basename(path);
    const at = lastIndexOf(name, '.');
    return at <= 0 || name === '..' ? '' : slice(name, at);
  }

  function parse(path) {
    needString('path', path);
    const root = startsWith(path, '/') ? '/' : '';
    const base = basename(path);
    const ext = extname(path);
    const text = withoutTrailingSlashes(path);
    const at = lastIndexOf(text, '/');
    const dir = path === '' || at === -1 ? '' : at === 0 ? '/' : slice(text, 0, at);
    return { root, dir: base === '' ? root : dir, base, ext, name: slice(base, 0, base.length - ext.length) };
  }

  function format(path) {
    if (typeof path !== 'object' || path === null) throw argument('pathObject', 'of type object', path);
    const dir = path.dir || path.root;
    const ext = path.ext ? (startsWith(path.ext, '.') ? path.ext : '.' + path.ext) : '';
    const base = path.base || (path.name || '') + ext;
    if (!dir) return base;
    return dir === path.root ? dir + base : dir + '/' + base;
  }

  internal.modules.path = () => {
    const path = {
      resolve, normalize, isAbsolute, join: joinPaths, relative, toNamespacedPath: (path) => path, dirname, basename,
      extname, format, parse, sep: '/', delimiter: ':',
    };
    path.posix = path;
    return path;
  };
})
