/* text.js - strings as the inspector shows them: quotes, escapes, width on a terminal, indentation
 */
(function (host, internal) {
  'use strict';

  const {
    charCodeAt, codePointAt, exec, indexOf, join, list, numberToString, padStart, repeat, slice, symbolToString,
    toUpperCase,
  } = internal.primordials;

  const lone = '[\\ud800-\\udbff](?![\\udc00-\\udfff])|(?<![\\ud800-\\udbff])[\\udc00-\\udfff]';
  const needsEscape = new RegExp('[\\x00-\\x1f\\x27\\x5c\\x7f-\\x9f]|' + lone);
  const needsEscapeInOtherQuotes = new RegExp('[\\x00-\\x1f\\x5c\\x7f-\\x9f]|' + lone);
  const identifier = /^[a-zA-Z_][a-zA-Z_0-9]*$/;
  const notPlain = /[^\x20-\x7e]/;

  function escaped(code) {
    switch (code) {
      case 8: return '\\b';
      case 9: return '\\t';
      case 10: return '\\n';
      case 12: return '\\f';
      case 13: return '\\r';
      case 39: return "\\'";
      case 92: return '\\\\';
    }
    const digits = numberToString(code, 16);
    return code < 256 ? '\\x' + toUpperCase(padStart(digits, 2, '0')) : '\\u' + digits;
  }

  /* `quote` is the code of the quote to escape; 0 when there is none to escape. */
  function escape(text, quote) {
    let result = '';
    let kept = 0;
    for (let i = 0; i < text.length; i++) {
      const code = charCodeAt(text, i);
      if (code >= 0xd800 && code <= 0xdfff) {
        if (codePointAt(text, i) > 0xffff) {
          i++;
          continue;
        }
      } else if (!(code < 32 || code === quote || code === 92 || (code > 126 && code < 160))) {
        continue;
      }
      result += slice(text, kept, i) + escaped(code);
      kept = i + 1;
    }
    return result + slice(text, kept);
  }

  /* Quotes with the first of ' " ` that needs no escaping, else with '. */
  function quote(text) {
    let mark = "'";
    if (indexOf(text, "'") !== -1) {
      if (indexOf(text, '"') === -1) mark = '"';
      else if (indexOf(text, '`') === -1 && indexOf(text, '${') === -1) mark = '`';
    }
    const pattern = mark === "'" ? needsEscape : needsEscapeInOtherQuotes;
    if (exec(pattern, text) !== null) text = escape(text, mark === "'" ? 39 : 0);
    return mark + text + mark;
  }

  function isWide(code) {
    return code >= 0x1100 && (
      code <= 0x115f || code === 0x2329 || code === 0x232a || (code >= 0x2e80 && code <= 0x3247 && code !== 0x303f) ||
      (code >= 0x3250 && code <= 0x4dbf) || (code >= 0x4e00 && code <= 0xa4c6) || (code >= 0xa960 && code <= 0xa97c) ||
      (code >= 0xac00 && code <= 0xd7a3) || (code >= 0xf900 && code <= 0xfaff) || (code >= 0xfe10 && code <= 0xfe19) ||
      (code >= 0xfe30 && code <= 0xfe6b) || (code >= 0xff01 && code <= 0xff60) || (code >= 0xffe0 && code <= 0xffe6) ||
      (code >= 0x1b000 && code <= 0x1b001) || (code >= 0x1f200 && code <= 0x1f251) ||
      (code >= 0x1f300 && code <= 0x1f64f) || (code >= 0x1f680 && code <= 0x1f6ff) ||
      (code >= 0x1f900 && code <= 0x1f9ff) || (code >= 0x20000 && code <= 0x3fffd));
  }

  function isZeroWidth(code) {
    return code <= 0x1f || (code >= 0x7f && code <= 0x9f) || (code >= 0x300 && code <= 0x36f) ||
      (code >= 0x200b && code <= 0x200f) || (code >= 0x20d0 && code <= 0x20ff) || (code >= 0xfe00 && code <= 0xfe0f) ||
      (code >= 0xfe20 && code <= 0xfe2f) || (code >= 0xe0100 && code <= 0xe01ef);
  }

  /* Columns on a terminal. */
  function width(text) {
    if (exec(notPlain, text) === null) return text.length;
    let columns = 0;
    for (let i = 0; i < text.length; i++) {
      const code = codePointAt(text, i);
      if (code > 0xffff) i++;
      if (isWide(code)) columns += 2;
      else if (!isZeroWidth(code)) columns++;
    }
    return columns;
  }

  /* Puts `replacement` in the place of each line feed. */
  function replaceLineFeeds(text, replacement) {
    let at = indexOf(text, '\n');
    if (at === -1) return text;
    let result = '';
    let kept = 0;
    do {
      result += slice(text, kept, at) + replacement;
      kept = at + 1;
      at = indexOf(text, '\n', kept);
    } while (at !== -1);
    return result + slice(text, kept);
  }

  /* The lines of a text, each with its line feed. */
  function lines(text) {
    const parts = list();
    let kept = 0;
    for (let at = indexOf(text, '\n'); at !== -1; at = indexOf(text, '\n', kept)) {
      parts[parts.length] = slice(text, kept, at + 1);
      kept = at + 1;
    }
    if (kept < text.length || parts.length === 0) parts[parts.length] = slice(text, kept);
    return parts;
  }

  internal.text = {
    __proto__: null,
    quote, width, lines, replaceLineFeeds,
    isIdentifier: (text) => exec(identifier, text) !== null,
    escapeName: (text) => escape(text, 39),
    symbolName: (symbol) => escape(symbolToString(symbol), 39),
    indented: (text, columns) => (columns === 0 ? text : replaceLineFeeds(text, '\n' + repeat(' ', columns))),
    plural: (count, noun) => count + ' ' + noun + (count > 1 ? 's' : ''),
    more: (count, noun) => '... ' + count + ' more ' + noun + (count > 1 ? 's' : ''),
    joinLines: (parts) => join(parts, '\n'),
  };
})
