/* console_table.js - console.table: rows and columns in box-drawing characters
 */
(function (host, internal) {
  'use strict';

  const {
    create, getOwn, hasOwn, isArray, join, list, mapEntries, mapNext, mapSize, max, objectKeys, repeat, setNext,
    setSize, setValues,
  } = internal.primordials;
  const { unwrap } = internal.names;
  const { width } = internal.text;

  const roomForTable = 262144;
  const indexTitle = '(index)';
  const countTitle = '(iteration index)';
  const keyTitle = 'Key';
  const valueTitle = 'Values';

  function isObject(value) {
    return (typeof value === 'object' || typeof value === 'function') && value !== null;
  }

  /* One context serves all cells, so that they share its room. */
  function cellWriter() {
    const ctx = internal.newContext();
    ctx.maxArrayLength = 3;
    ctx.breakLength = Infinity;
    return {
      __proto__: null,
      isFull: () => ctx.room <= 0,
      cell(value) {
        const target = isObject(value) ? unwrap(value) : null;
        const isRecord = target !== null && typeof target === 'object' && !isArray(target);
        ctx.depth = isRecord && objectKeys(target).length > 2 ? -1 : 0;
        ctx.currentLevel = 0;
        ctx.circular = undefined;
        return internal.formatValue(ctx, value, 0);
      },
      property(holder, key) {
        const property = getOwn(holder, key);
        if (property === undefined) return '';
        return hasOwn(property, 'value') ? this.cell(property.value) : '[Getter]';
      },
    };
  }

  function line(widths, left, middle, right) {
    const parts = list();
    for (let i = 0; i < widths.length; i++) parts[i] = repeat('─', widths[i] + 2);
    return left + join(parts, middle) + right;
  }

  function row(cells, widths) {
    const parts = list();
    for (let i = 0; i < widths.length; i++) parts[i] = cells[i] + repeat(' ', widths[i] - width(cells[i]));
    return '│ ' + join(parts, ' │ ') + ' │';
  }

  /* `columns` are lists of texts, or undefined where a row has nothing. */
  function draw(titles, columns, rowCount) {
    const widths = list();
    let total = 1;
    for (let i = 0; i < titles.length; i++) {
      let widest = width(titles[i]);
      for (let j = 0; j < rowCount; j++) {
        columns[i][j] ??= '';
        widest = max(widest, width(columns[i][j]));
      }
      widths[i] = widest;
      total += widest + 3;
    }
    let text = line(widths, '┌', '┬', '┐') + '\n' + row(titles, widths) + '\n';
    text += line(widths, '├', '┼', '┤') + '\n';
    const cells = list();
    for (let j = 0; j < rowCount; j++) {
      for (let i = 0; i < titles.length; i++) cells[i] = columns[i][j];
      text += row(cells, widths) + '\n';
      if ((j + 1) * total > roomForTable) {
        text += '...\n';
        break;
      }
    }
    return text + line(widths, '└', '┴', '┘');
  }

  function listOf(...items) {
    const result = list();
    for (let i = 0; i < items.length; i++) result[i] = items[i];
    return result;
  }

  function drawMap(map, writer) {
    const count = mapSize(map);
    const entries = mapEntries(map);
    const columns = listOf(list(), list(), list());
    let i = 0;
    for (; i < count && !writer.isFull(); i++) {
      const entry = mapNext(entries).value;
      columns[0][i] = '' + i;
      columns[1][i] = writer.cell(entry[0]);
      columns[2][i] = writer.cell(entry[1]);
    }
    return draw(listOf(countTitle, keyTitle, valueTitle), columns, i);
  }

  function drawSet(set, writer) {
    const count = setSize(set);
    const values = setValues(set);
    const columns = listOf(list(), list());
    let i = 0;
    for (; i < count && !writer.isFull(); i++) {
      columns[0][i] = '' + i;
      columns[1][i] = writer.cell(setNext(values).value);
    }
    return draw(listOf(countTitle, valueTitle), columns, i);
  }

  function drawRows(data, chosen, writer) {
    const rows = objectKeys(data);
    const byKey = create(null);
    const index = list();
    const values = list();
    let hasValues = false;
    let i = 0;
    for (; i < rows.length && !writer.isFull(); i++) {
      index[i] = rows[i];
      const property = getOwn(data, rows[i]);
      const isData = hasOwn(property, 'value');
      const item = isData && isObject(property.value) ? unwrap(property.value) : null;
      if (item === null && chosen === undefined) {
        hasValues = true;
        values[i] = isData ? writer.cell(property.value) : '[Getter]';
        continue;
      }
      const keys = chosen ?? objectKeys(item);
      for (let k = 0; k < keys.length; k++) {
        byKey[keys[k]] ??= list();
        byKey[keys[k]][i] = item === null ? '' : writer.property(item, keys[k]);
      }
    }
    const titles = listOf(indexTitle);
    const columns = listOf(index);
    const keys = objectKeys(byKey);
    for (let k = 0; k < keys.length; k++) {
      titles[titles.length] = keys[k];
      columns[columns.length] = byKey[keys[k]];
    }
    if (hasValues) {
      titles[titles.length] = valueTitle;
      columns[columns.length] = values;
    }
    return draw(titles, columns, i);
  }

  /* The names of the wanted columns as a plain list. */
  function columnNames(properties) {
    if (properties === undefined) return undefined;
    if (!isArray(properties) || host.isProxy(properties)) {
      throw internal.errors.argument('properties', 'an instance of Array', properties);
    }
    const names = list();
    for (let i = 0; i < properties.length; i++) names[i] = internal.plainText(internal.names.ownData(properties, i));
    return names;
  }

  /* Returns undefined for what is no table: a primitive. */
  internal.table = (data, properties) => {
    const chosen = columnNames(properties);
    if (typeof data !== 'object' || data === null) return undefined;
    data = unwrap(data);
    if (data === null) return undefined;
    const writer = cellWriter();
    const className = host.className(data);
    if (className === 'Map') return drawMap(data, writer);
    if (className === 'Set') return drawSet(data, writer);
    return drawRows(data, chosen, writer);
  };
})
