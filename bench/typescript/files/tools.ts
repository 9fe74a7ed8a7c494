// Tools for an assistant: each has a name, a schema for its input, and a function. The context says which to call.

// ---- results ----

export type Result<T, E = string> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: E };

const good = <T,>(value: T): Result<T, never> => ({ ok: true, value });
const bad = <E,>(error: E): Result<never, E> => ({ ok: false, error });

function map<T, U, E>(result: Result<T, E>, to: (value: T) => U): Result<U, E> {
  return result.ok ? good(to(result.value)) : result;
}

function all<T, E>(results: readonly Result<T, E>[]): Result<T[], E> {
  const values: T[] = [];
  for (const result of results) {
    if (!result.ok) return result;
    values.push(result.value);
  }
  return good(values);
}

// ---- schemas ----

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

interface SchemaBase { readonly description?: string; readonly optional?: boolean }
interface StringSchema extends SchemaBase { readonly type: "string"; readonly most?: number; readonly pattern?: RegExp }
interface NumberSchema extends SchemaBase { readonly type: "number"; readonly least?: number; readonly most?: number; readonly whole?: boolean }
interface BooleanSchema extends SchemaBase { readonly type: "boolean" }
interface ChoiceSchema<T extends string = string> extends SchemaBase { readonly type: "choice"; readonly of: readonly T[] }
interface ListSchema<S extends Schema = Schema> extends SchemaBase { readonly type: "list"; readonly of: S; readonly most?: number }
interface ObjectSchema<P extends Properties = Properties> extends SchemaBase { readonly type: "object"; readonly properties: P }
interface AnySchema extends SchemaBase { readonly type: "any" }

type Schema = StringSchema | NumberSchema | BooleanSchema | ChoiceSchema | ListSchema<any> | ObjectSchema<any> | AnySchema;
type Properties = { readonly [name: string]: Schema };

type OptionalKeys<P extends Properties> = { [K in keyof P]: P[K] extends { optional: true } ? K : never }[keyof P];
type Of<S> = S extends StringSchema ? string
  : S extends NumberSchema ? number
  : S extends BooleanSchema ? boolean
  : S extends ChoiceSchema<infer T> ? T
  : S extends ListSchema<infer I> ? Of<I>[]
  : S extends ObjectSchema<infer P>
    ? { [K in Exclude<keyof P, OptionalKeys<P>>]: Of<P[K]> } & { [K in OptionalKeys<P>]?: Of<P[K]> }
  : S extends AnySchema ? Json
  : never;

function checkString(schema: StringSchema, value: Json, where: string): Result<Json> {
  if (typeof value !== "string") return bad(`${where}: a string is wanted`);
  if (schema.most !== undefined && value.length > schema.most) return bad(`${where}: longer than ${schema.most}`);
  if (schema.pattern !== undefined && !schema.pattern.test(value)) return bad(`${where}: does not look right`);
  return good(value);
}

function checkNumber(schema: NumberSchema, value: Json, where: string): Result<Json> {
  if (typeof value !== "number" || !Number.isFinite(value)) return bad(`${where}: a number is wanted`);
  if (schema.whole === true && !Number.isInteger(value)) return bad(`${where}: a whole number is wanted`);
  if (value < (schema.least ?? -Infinity)) return bad(`${where}: less than ${schema.least!}`);
  if (value > (schema.most ?? Infinity)) return bad(`${where}: more than ${schema.most!}`);
  return good(value);
}

function checkObject(schema: ObjectSchema, value: Json, where: string): Result<Json> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return bad(`${where}: an object is wanted`);
  const properties = schema.properties as Properties;
  const unknown: string | undefined = Object.keys(value).find((key: string) => !(key in properties));
  if (unknown !== undefined) return bad(`${where}: "${unknown}" is not known`);
  const out: { [key: string]: Json } = {};
  for (const [key, inner] of Object.entries(properties) as [string, Schema][]) {
    const member: Json | undefined = value[key];
    if (member === undefined) {
      if (inner.optional) continue;
      return bad(`${where}: "${key}" is missing`);
    }
    const checked: Result<Json> = check(inner, member, `${where}.${key}`);
    if (!checked.ok) return checked;
    out[key] = checked.value;
  }
  return good(out);
}

function check(schema: Schema, value: Json, where: string = "input"): Result<Json> {
  switch (schema.type) {
    case "string":
      return checkString(schema, value, where);
    case "number":
      return checkNumber(schema, value, where);
    case "boolean":
      return typeof value === "boolean" ? good(value) : bad(`${where}: true or false is wanted`);
    case "choice":
      return schema.of.includes(value as string) ? good(value) : bad(`${where}: one of ${schema.of.join(", ")} is wanted`);
    case "list": {
      if (!Array.isArray(value)) return bad(`${where}: a list is wanted`);
      if (value.length > (schema.most ?? 1000)) return bad(`${where}: too many elements`);
      return all(value.map((element: Json, i: number): Result<Json> => check(schema.of as Schema, element, `${where}[${i}]`)));
    }
    case "object":
      return checkObject(schema, value, where);
    case "any":
      return good(value);
  }
}

// ---- tools ----

interface Tool<S extends Schema = any, R extends Json = any> {
  readonly name: string;
  readonly summary: string;
  readonly input: S;
  run(input: Of<S>): Result<R>;
}

function tool<const S extends Schema, R extends Json>(definition: Tool<S, R>): Tool<S, R> {
  return Object.freeze(definition);
}

// ---- arithmetic ----

type Operator = "+" | "-" | "*" | "/" | "%" | "^";
type Expression =
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "negate"; readonly of: Expression }
  | { readonly kind: "binary"; readonly operator: Operator; readonly left: Expression; readonly right: Expression }
  | { readonly kind: "call"; readonly name: string; readonly args: readonly Expression[] };

const strength: Readonly<Record<Operator, number>> = { "+": 1, "-": 1, "*": 2, "/": 2, "%": 2, "^": 3 };
const functions: Readonly<Record<string, (...args: number[]) => number>> = {
  min: Math.min,
  max: Math.max,
  round: (x: number, digits: number = 0): number => Math.round(x * 10 ** digits) / 10 ** digits,
  sqrt: Math.sqrt,
  abs: Math.abs,
};

class ExpressionParser {
  private at: number = 0;
  private readonly words: readonly string[];

  constructor(text: string) {
    this.words = text.match(/\d+(?:\.\d+)?|[A-Za-z_]\w*|[-+*\/%^(),]|\S/g) ?? [];
  }

  private peek(): string | undefined {
    return this.words[this.at];
  }

  private take(wanted?: string): string {
    const word: string | undefined = this.words[this.at++];
    if (word === undefined) throw new SyntaxError("the expression ends too early");
    if (wanted !== undefined && word !== wanted) throw new SyntaxError(`"${wanted}" is wanted, not "${word}"`);
    return word;
  }

  private args(): Expression[] {
    const list: Expression[] = [];
    this.take("(");
    while (this.peek() !== ")") {
      list.push(this.binary(0));
      if (this.peek() === ",") this.take();
    }
    this.take(")");
    return list;
  }

  private unary(): Expression {
    const word: string = this.take();
    if (word === "-") return { kind: "negate", of: this.unary() };
    if (word === "(") {
      const inner: Expression = this.binary(0);
      this.take(")");
      return inner;
    }
    if (/^\d/.test(word)) return { kind: "number", value: Number(word) };
    if (!/^[A-Za-z_]/.test(word)) throw new SyntaxError(`"${word}" cannot stand here`);
    return this.peek() === "(" ? { kind: "call", name: word, args: this.args() } : { kind: "name", name: word };
  }

  private binary(least: number): Expression {
    let left: Expression = this.unary();
    for (;;) {
      const operator = this.peek() as Operator;
      const own: number | undefined = strength[operator];
      if (own === undefined || own <= least) return left;
      this.take();
      const right: Expression = this.binary(operator === "^" ? own - 1 : own);
      left = { kind: "binary", operator, left, right };
    }
  }

  parse(): Expression {
    const expression: Expression = this.binary(0);
    if (this.at < this.words.length) throw new SyntaxError(`"${this.peek()!}" is left over`);
    return expression;
  }
}

function evaluate(expression: Expression, names: ReadonlyMap<string, number>): number {
  switch (expression.kind) {
    case "number":
      return expression.value;
    case "name": {
      const value: number | undefined = names.get(expression.name);
      if (value === undefined) throw new ReferenceError(`${expression.name} is not known`);
      return value;
    }
    case "negate":
      return -evaluate(expression.of, names);
    case "call": {
      const fn = functions[expression.name];
      if (!fn) throw new ReferenceError(`there is no function ${expression.name}`);
      return fn(...expression.args.map((arg: Expression): number => evaluate(arg, names)));
    }
    case "binary": {
      const left: number = evaluate(expression.left, names);
      const right: number = evaluate(expression.right, names);
      const apply: Record<Operator, () => number> = {
        "+": () => left + right,
        "-": () => left - right,
        "*": () => left * right,
        "/": () => left / right,
        "%": () => left % right,
        "^": () => left ** right,
      };
      return apply[expression.operator]();
    }
  }
}

const calculate = tool({
  name: "calculate",
  summary: "the value of an arithmetic expression",
  input: {
    type: "object",
    properties: {
      expression: { type: "string", most: 500 },
      names: { type: "list", of: { type: "object", properties: { name: { type: "string" }, value: { type: "number" } } }, optional: true },
    },
  },
  run(input): Result<number> {
    const names: Map<string, number> = new Map((input.names ?? []).map((n: any): [string, number] => [n.name, n.value]));
    try {
      return good(evaluate(new ExpressionParser(input.expression as string).parse(), names));
    } catch (error: unknown) {
      return bad(error instanceof Error ? error.message : String(error));
    }
  },
});

// ---- tables ----

type Cell = string | number | null;
type Row = Readonly<Record<string, Cell>>;
type Aggregate = "count" | "sum" | "mean" | "least" | "most";

function parseCsv(text: string, separator: string = ","): Row[] {
  const lines: string[][] = [[]];
  let field: string = "";
  let isQuoted: boolean = false;
  const endField = (): void => {
    lines[lines.length - 1]!.push(field);
    field = "";
  };
  for (let i = 0; i < text.length; i++) {
    const c: string = text[i]!;
    if (isQuoted) {
      if (c === '"' && text[i + 1] === '"') field += text[++i];
      else if (c === '"') isQuoted = false;
      else field += c;
    } else if (c === '"') isQuoted = true;
    else if (c === separator) endField();
    else if (c === "\n") {
      endField();
      lines.push([]);
    } else if (c !== "\r") field += c;
  }
  endField();
  const [head, ...body] = lines as [string[], ...string[][]];
  return body
    .filter((line: readonly string[]): boolean => line.length > 1 || line[0] !== "")
    .map((line: readonly string[]): Row => Object.fromEntries(head.map((name: string, i: number): [string, Cell] => [name, cellOf(line[i])])));
}

function cellOf(text: string | undefined): Cell {
  if (text === undefined || text.trim() === "") return null;
  const number: number = Number(text);
  return Number.isNaN(number) ? text : number;
}

const aggregates: { readonly [A in Aggregate]: (values: readonly number[]) => number } = {
  count: (values) => values.length,
  sum: (values) => values.reduce((a: number, b: number): number => a + b, 0),
  mean: (values) => (values.length > 0 ? aggregates.sum(values) / values.length : 0),
  least: (values) => Math.min(...values),
  most: (values) => Math.max(...values),
};

function groupBy<T, K extends PropertyKey>(list: readonly T[], keyOf: (element: T) => K): Map<K, T[]> {
  const groups: Map<K, T[]> = new Map<K, T[]>();
  for (const element of list) {
    const key: K = keyOf(element);
    const group: T[] | undefined = groups.get(key);
    if (group) group.push(element);
    else groups.set(key, [element]);
  }
  return groups;
}

const summarize = tool({
  name: "summarize",
  summary: "groups the rows of a CSV text and aggregates a column",
  input: {
    type: "object",
    properties: {
      csv: { type: "string", most: 100_000 },
      by: { type: "string" },
      column: { type: "string" },
      aggregate: { type: "choice", of: ["count", "sum", "mean", "least", "most"] },
    },
  },
  run(input): Result<{ [key: string]: number }> {
    const rows: Row[] = parseCsv(input.csv as string);
    if (rows.length === 0) return bad("the table is empty");
    for (const name of [input.by, input.column] as string[]) if (!(name in rows[0]!)) return bad(`there is no column ${name}`);
    const groups = groupBy<Row, string>(rows, (row: Row) => String(row[input.by as string]));
    const entries = [...groups].map(([key, group]: [string, Row[]]): [string, number] => {
      const values: number[] = group.map((row) => row[input.column as string]).filter((v): v is number => typeof v === "number");
      return [key, aggregates[input.aggregate as Aggregate](values)];
    });
    return good(Object.fromEntries(entries) as { [key: string]: number });
  },
});

// ---- dates ----

interface Day { readonly year: number; readonly month: number; readonly day: number }
type Weekday = 0 | 1 | 2 | 3 | 4 | 5 | 6;

function parseDay(text: string): Result<Day> {
  const match: RegExpExecArray | null = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (!match) return bad(`${text} is no date`);
  const [year, month, day] = match.slice(1).map(Number) as [number, number, number];
  const date: Date = new Date(Date.UTC(year, month - 1, day));
  return date.getUTCMonth() === month - 1 ? good({ year, month, day }) : bad(`there is no ${text}`);
}

function numberOf(day: Day): number {
  return Date.UTC(day.year, day.month - 1, day.day) / 86_400_000;
}

function weekdayOf(number: number): Weekday {
  return (((number + 4) % 7) + 7) % 7 as Weekday;
}

function textOf(number: number): string {
  return new Date(number * 86_400_000).toISOString().slice(0, 10);
}

const addWorkdays = tool({
  name: "add_workdays",
  summary: "the date that is a number of working days later",
  input: {
    type: "object",
    properties: {
      from: { type: "string", pattern: /^\d{4}-\d\d-\d\d$/ },
      days: { type: "number", whole: true, least: 0, most: 1000 },
      holidays: { type: "list", of: { type: "string" }, optional: true },
    },
  },
  run(input): Result<string> {
    const holidays: Result<Day[]> = all(((input.holidays ?? []) as string[]).map(parseDay));
    if (!holidays.ok) return holidays;
    const closed: ReadonlySet<number> = new Set<number>(holidays.value.map(numberOf));
    return map(parseDay(input.from as string), (day: Day): string => {
      let at: number = numberOf(day);
      for (let left = input.days as number; left > 0; ) {
        at++;
        const weekday: Weekday = weekdayOf(at);
        if (weekday !== 0 && weekday !== 6 && !closed.has(at)) left--;
      }
      return textOf(at);
    });
  },
});

// ---- texts ----

interface Edit { readonly kind: "same" | "added" | "removed"; readonly line: string }

function diff(before: readonly string[], after: readonly string[]): Edit[] {
  const lengths: Uint16Array[] = Array.from({ length: before.length + 1 }, (): Uint16Array => new Uint16Array(after.length + 1));
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      lengths[i]![j] = before[i] === after[j] ? lengths[i + 1]![j + 1]! + 1 : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!);
  const edits: Edit[] = [];
  let i: number = 0, j: number = 0;
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) edits.push({ kind: "same", line: before[i++]! }), j++;
    else if (j >= after.length || (i < before.length && lengths[i + 1]![j]! >= lengths[i]![j + 1]!)) edits.push({ kind: "removed", line: before[i++]! });
    else edits.push({ kind: "added", line: after[j++]! });
  }
  return edits;
}

const compare = tool({
  name: "compare",
  summary: "two texts line by line",
  input: { type: "object", properties: { before: { type: "string", most: 20_000 }, after: { type: "string", most: 20_000 } } },
  run(input): Result<string> {
    const signs: Readonly<Record<Edit["kind"], string>> = { same: " ", added: "+", removed: "-" };
    const edits: Edit[] = diff((input.before as string).split("\n"), (input.after as string).split("\n"));
    return good(edits.map((edit: Edit): string => `${signs[edit.kind]} ${edit.line}`).join("\n"));
  },
});

// ---- what is called ----

interface Call { readonly tool: string; readonly input: Json; readonly id?: string }
interface Answer { readonly id: string | null; readonly tool: string; readonly value?: Json; readonly error?: string }

const tools: ReadonlyMap<string, Tool> = new Map<string, Tool>(
  [calculate, summarize, addWorkdays, compare].map((t): [string, Tool] => [t.name, t as Tool]),
);

function answer(call: Call): Answer {
  const id: string | null = call.id ?? null;
  const chosen: Tool | undefined = tools.get(call.tool);
  if (chosen === undefined) return { id, tool: call.tool, error: `there is no such tool; known: ${[...tools.keys()].join(", ")}` };
  const checked: Result<Json> = check(chosen.input as Schema, call.input);
  if (!checked.ok) return { id, tool: call.tool, error: checked.error };
  const result = chosen.run(checked.value as never) as Result<Json>;
  return result.ok ? { id, tool: call.tool, value: result.value } : { id, tool: call.tool, error: result.error };
}

export default function run(context: { calls: readonly Call[] }): { answers: Answer[]; failed: number } {
  const answers: Answer[] = context.calls.map(answer);
  return { answers, failed: answers.filter((a: Answer): boolean => a.error !== undefined).length };
}
