// A small template language: parsed once, rendered for each order.

// ---- what a template is made of ----

export interface Position { readonly line: number; readonly column: number }

export type Token =
  | { readonly kind: "text"; readonly text: string; readonly at: Position }
  | { readonly kind: "open"; readonly text: string; readonly isRaw: boolean; readonly at: Position }
  | { readonly kind: "tag"; readonly name: TagName; readonly rest: string; readonly at: Position }
  | { readonly kind: "end"; readonly name: TagName; readonly at: Position };

type TagName = "if" | "else" | "for" | "with";

export type Node = TextNode | ValueNode | IfNode | ForNode | WithNode;

interface NodeBase<K extends string> { readonly kind: K; readonly at: Position }
interface TextNode extends NodeBase<"text"> { readonly text: string }
interface ValueNode extends NodeBase<"value"> { readonly path: Path; readonly filters: readonly FilterCall[]; readonly isRaw: boolean }
interface IfNode extends NodeBase<"if"> { readonly condition: Path; readonly isNegated: boolean; then: Node[]; otherwise: Node[] }
interface ForNode extends NodeBase<"for"> { readonly variable: string; readonly list: Path; body: Node[]; otherwise: Node[] }
interface WithNode extends NodeBase<"with"> { readonly path: Path; body: Node[] }

type Path = readonly string[];
interface FilterCall { readonly name: string; readonly args: readonly Json[] }

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type Filter = (value: Json, ...args: readonly Json[]) => Json;
type FilterTable = Readonly<Record<string, Filter>>;

// ---- errors ----

export class TemplateError extends Error {
  readonly at: Position;
  override readonly name: string = "TemplateError";

  constructor(message: string, at: Position) {
    super(`${message} (line ${at.line}, column ${at.column})`);
    this.at = at;
  }
}

function fail(message: string, at: Position): never {
  throw new TemplateError(message, at);
}

// ---- text to tokens ----

class Lexer {
  private offset: number = 0;
  private line: number = 1;
  private lineStart: number = 0;
  private readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  private here(): Position {
    return { line: this.line, column: this.offset - this.lineStart + 1 };
  }

  private advance(to: number): string {
    const text: string = this.source.slice(this.offset, to);
    for (let i: number = this.offset; i < to; i++)
      if (this.source.charCodeAt(i) === 10) {
        this.line++;
        this.lineStart = i + 1;
      }
    this.offset = to;
    return text;
  }

  private tag(text: string, at: Position): Token {
    const match: RegExpExecArray | null = /^\s*(\/?)(if|else|for|with)\b\s*(.*?)\s*$/s.exec(text);
    if (match === null) fail(`no such tag: ${text.trim()}`, at);
    const [, slash, name, rest] = match as unknown as [string, string, TagName, string];
    return slash ? { kind: "end", name, at } : { kind: "tag", name, rest, at };
  }

  *tokens(): Generator<Token, void, undefined> {
    while (this.offset < this.source.length) {
      const next: number = this.source.indexOf("{", this.offset);
      const marker: string = next < 0 ? "" : this.source.slice(next, next + 2);
      if (next < 0) {
        const at = this.here();
        yield { kind: "text", text: this.advance(this.source.length), at };
        return;
      }
      if (marker !== "{{" && marker !== "{%") {
        const at = this.here();
        yield { kind: "text", text: this.advance(next + 1), at };
        continue;
      }
      if (next > this.offset) {
        const at = this.here();
        yield { kind: "text", text: this.advance(next), at };
      }
      const at: Position = this.here();
      const isTag: boolean = marker === "{%";
      const isRaw: boolean = !isTag && this.source[next + 2] === "{";
      const closing: string = isTag ? "%}" : isRaw ? "}}}" : "}}";
      const end: number = this.source.indexOf(closing, next + 2);
      if (end < 0) fail(`${marker} is never closed`, at);
      const inside: string = this.source.slice(next + (isRaw ? 3 : 2), end);
      this.advance(end + closing.length);
      yield isTag ? this.tag(inside, at) : { kind: "open", text: inside, isRaw, at };
    }
  }
}

// ---- tokens to nodes ----

function parsePath(text: string, at: Position): Path {
  const parts: string[] = text.trim().split(".");
  for (const part of parts) if (!/^[A-Za-z_$][\w$]*$|^\d+$/.test(part)) fail(`"${text.trim()}" is no path`, at);
  return parts;
}

function parseFilter(text: string, at: Position): FilterCall {
  const colon: number = text.indexOf(":");
  const name: string = (colon < 0 ? text : text.slice(0, colon)).trim();
  if (colon < 0) return { name, args: [] };
  try {
    return { name, args: JSON.parse(`[${text.slice(colon + 1)}]`) as Json[] };
  } catch (error: unknown) {
    return fail(`arguments of ${name}: ${(error as Error).message}`, at);
  }
}

interface Frame { readonly node: Exclude<Node, TextNode | ValueNode> | null; target: Node[] }

class Parser {
  private readonly root: Node[] = [];
  private readonly frames: Frame[] = [{ node: null, target: this.root }];

  private get top(): Frame {
    return this.frames[this.frames.length - 1]!;
  }

  private push<N extends Exclude<Node, TextNode | ValueNode>>(node: N, target: Node[]): void {
    this.top.target.push(node);
    this.frames.push({ node, target });
  }

  private open(name: TagName, rest: string, at: Position): void {
    switch (name) {
      case "if": {
        const isNegated: boolean = rest.startsWith("!");
        const then: Node[] = [];
        this.push<IfNode>({ kind: "if", condition: parsePath(isNegated ? rest.slice(1) : rest, at), isNegated, then, otherwise: [], at }, then);
        break;
      }
      case "for": {
        const match = /^(\w+)\s+of\s+(.+)$/.exec(rest);
        if (!match) fail("for needs: name of list", at);
        const body: Node[] = [];
        this.push<ForNode>({ kind: "for", variable: match![1]!, list: parsePath(match![2]!, at), body, otherwise: [], at }, body);
        break;
      }
      case "with": {
        const body: Node[] = [];
        this.push<WithNode>({ kind: "with", path: parsePath(rest, at), body, at }, body);
        break;
      }
      case "else": {
        const node = this.top.node;
        if (node === null || node.kind === "with") fail("else without if or for", at);
        this.top.target = (node as IfNode | ForNode).otherwise;
        break;
      }
      default: {
        const never: never = name;
        fail(`no such tag: ${String(never)}`, at);
      }
    }
  }

  private close(name: TagName, at: Position): void {
    const frame: Frame | undefined = this.frames.length > 1 ? this.frames.pop() : undefined;
    if (frame?.node?.kind !== name) fail(`/${name} closes ${frame?.node?.kind ?? "nothing"}`, at);
  }

  parse(tokens: Iterable<Token>): readonly Node[] {
    for (const token of tokens)
      switch (token.kind) {
        case "text":
          this.top.target.push({ kind: "text", text: token.text, at: token.at });
          break;
        case "open": {
          const [path, ...filters] = token.text.split("|") as [string, ...string[]];
          const calls: FilterCall[] = filters.map((text: string): FilterCall => parseFilter(text, token.at));
          this.top.target.push({ kind: "value", path: parsePath(path, token.at), filters: calls, isRaw: token.isRaw, at: token.at });
          break;
        }
        case "tag":
          this.open(token.name, token.rest, token.at);
          break;
        case "end":
          this.close(token.name, token.at);
          break;
      }
    if (this.frames.length > 1) fail(`${this.top.node!.kind} is never closed`, this.top.node!.at);
    return this.root;
  }
}

// ---- filters ----

const isObject = (value: Json): value is { readonly [key: string]: Json } =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const filters = {
  upper: (value: Json): string => String(value).toUpperCase(),
  lower: (value: Json): string => String(value).toLowerCase(),
  money: (value: Json, currency: Json = "EUR"): string => `${(Number(value) / 100).toFixed(2)} ${String(currency)}`,
  join: (value: Json, by: Json = ", "): string => (Array.isArray(value) ? (value as Json[]).map(String).join(String(by)) : String(value)),
  length: (value: Json): number => (typeof value === "string" || Array.isArray(value) ? value.length : isObject(value) ? Object.keys(value).length : 0),
  or: (value: Json, other: Json = ""): Json => (value === null || value === "" ? other : value),
  json: (value: Json): string => JSON.stringify(value, null, 2),
  pad: (value: Json, width: Json = 10): string => String(value).padStart(width as number),
} as const satisfies FilterTable;

// ---- nodes to text ----

const escapes: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
const escape = (text: string): string => text.replace(/[&<>"']/g, (c: string): string => escapes[c]!);

class Scope {
  private readonly values: Map<string, Json>;
  private readonly parent: Scope | null;

  constructor(values: Iterable<readonly [string, Json]>, parent: Scope | null = null) {
    this.values = new Map<string, Json>(values);
    this.parent = parent;
  }

  find(name: string): Json | undefined {
    return this.values.has(name) ? this.values.get(name) : this.parent?.find(name);
  }

  look(path: Path): Json {
    const [first, ...rest] = path as [string, ...string[]];
    let value: Json | undefined = this.find(first);
    for (const key of rest) {
      if (value === null || value === undefined || typeof value !== "object") return null;
      value = (value as { [key: string]: Json })[key];
    }
    return value ?? null;
  }
}

function isTrue(value: Json): boolean {
  return Array.isArray(value) ? value.length > 0 : Boolean(value);
}

function render(nodes: readonly Node[], scope: Scope, out: string[], table: FilterTable): void {
  for (const node of nodes)
    switch (node.kind) {
      case "text":
        out.push(node.text);
        break;
      case "value": {
        const value: Json = node.filters.reduce<Json>((all: Json, call: FilterCall): Json => {
          const filter: Filter | undefined = table[call.name];
          return filter === undefined ? fail(`no such filter: ${call.name}`, node.at) : filter(all, ...call.args);
        }, scope.look(node.path));
        const text: string = value === null ? "" : String(value);
        out.push(node.isRaw ? text : escape(text));
        break;
      }
      case "if":
        render(isTrue(scope.look(node.condition)) !== node.isNegated ? node.then : node.otherwise, scope, out, table);
        break;
      case "for": {
        const list = scope.look(node.list);
        if (!Array.isArray(list) || list.length === 0) render(node.otherwise, scope, out, table);
        else (list as Json[]).forEach((element: Json, index: number): void =>
          render(node.body, new Scope([[node.variable, element], ["index", index]], scope), out, table));
        break;
      }
      case "with": {
        const value: Json = scope.look(node.path);
        if (isObject(value)) render(node.body, new Scope(Object.entries(value), scope), out, table);
        break;
      }
    }
}

export default function template(context: { template: string; data: Record<string, Json> }): string {
  const nodes: readonly Node[] = new Parser().parse(new Lexer(context.template).tokens());
  const out: string[] = [];
  render(nodes, new Scope(Object.entries(context.data)), out, filters);
  return out.join("");
}
