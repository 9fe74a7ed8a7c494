/* inspect_layout.js - from the texts of an object's entries to one text: on one line, in columns, or one per line
 *
 * The rules and their constants are Node's, so that output reads the same in both places.
 */
(function (host, internal) {
  'use strict';

  const { floor, indexOf, join, list, max, min, padEnd, padStart, repeat, round, sqrt } = internal.primordials;
  const { width } = internal.text;

  const separator = 2;        /* a comma and a space */

  /* Arranges the entries of a long array in columns, or returns them as they are when that would look poor. `numeric`
   * says that all entries are numbers, which are aligned to the right; the last entry may be "... n more items".
   */
  function group(ctx, output, numeric) {
    const hasRest = ctx.maxArrayLength < output.length;
    const count = hasRest ? output.length - 1 : output.length;
    const widths = list();
    let total = 0;
    let widest = 0;
    for (let i = 0; i < count; i++) {
      const columns = width(output[i]);
      widths[i] = columns;
      total += columns + separator;
      if (columns > widest) widest = columns;
    }

    const cell = widest + separator;
    if (!(cell * 3 + ctx.indentation < ctx.breakLength && (total / cell > 5 || widest <= 6))) return output;

    const bias = sqrt(cell - total / output.length);
    const biased = max(cell - 3 - bias, 1);
    const columns = min(
      round(sqrt(2.5 * biased * count) / biased),
      floor((ctx.breakLength - ctx.indentation) / cell),
      ctx.compact * 4,
      15);
    if (columns <= 1) return output;

    const columnWidths = list();
    for (let i = 0; i < columns; i++) {
      let columnWidth = 0;
      for (let j = i; j < count; j += columns) columnWidth = max(columnWidth, widths[j]);
      columnWidths[i] = columnWidth + separator;
    }

    const rows = list();
    for (let i = 0; i < count; i += columns) {
      const end = min(i + columns, count);
      let row = '';
      for (let j = i; j < end; j++) {
        const text = output[j];
        const room = columnWidths[j - i] + text.length - widths[j];
        if (j < end - 1) row += numeric ? padStart(text + ', ', room) : padEnd(text + ', ', room);
        else row += numeric ? padStart(text, room - separator) : text;
      }
      rows[rows.length] = row;
    }
    if (hasRest) rows[rows.length] = output[count];
    return rows;
  }

  function fitsOneLine(ctx, output, start, base) {
    let total = output.length + start;
    if (total + output.length > ctx.breakLength) return false;
    for (let i = 0; i < output.length; i++) {
      total += output[i].length;
      if (total > ctx.breakLength) return false;
    }
    return base === '' || indexOf(base, '\n') === -1;
  }

  /* `level` is the depth of the object; ctx.currentLevel that of the innermost one inspected so far. */
  internal.layOut = (ctx, output, base, open, close, isList, level, numeric) => {
    if (ctx.compact !== true) {
      const entries = output.length;
      if (ctx.compact >= 1) {
        if (isList && entries > 6) output = group(ctx, output, numeric);
        if (ctx.currentLevel - level < ctx.compact && entries === output.length) {
          const start = output.length + ctx.indentation + open.length + base.length + 10;
          if (fitsOneLine(ctx, output, start, base)) {
            const joined = join(output, ', ');
            if (indexOf(joined, '\n') === -1) {
              return (base !== '' ? base + ' ' : '') + open + ' ' + joined + ' ' + close;
            }
          }
        }
      }
      ctx.room -= output.length * ctx.indentation;
      const margin = '\n' + repeat(' ', ctx.indentation);
      const body = margin + '  ' + join(output, ',' + margin + '  ') + margin;
      return (base !== '' ? base + ' ' : '') + open + body + close;
    }
    if (fitsOneLine(ctx, output, 0, base)) {
      return open + (base !== '' ? ' ' + base : '') + ' ' + join(output, ', ') + ' ' + close;
    }
    ctx.room -= output.length * ctx.indentation;
    const margin = '\n' + repeat(' ', ctx.indentation);
    const first = base === '' && open.length === 1 ? ' ' : (base !== '' ? ' ' + base : '') + margin + '  ';
    return open + first + join(output, ',' + margin + '  ') + ' ' + close;
  };
})
