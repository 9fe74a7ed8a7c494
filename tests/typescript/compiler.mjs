// compiler.mjs - what the TypeScript compiler says: the JavaScript it emits, the errors it reports
import tsBlankSpace from "ts-blank-space";
import ts from "typescript";

const before = "async function _(context) {";
export const bodyOf = (source) => before + source + "\n}";

const options = { target: ts.ScriptTarget.ESNext, module: ts.ModuleKind.ESNext, useDefineForClassFields: true };

function emit(text, more = {}) {
  const { outputText, diagnostics } = ts.transpileModule(text, {
    fileName: "main.ts",
    reportDiagnostics: true,
    compilerOptions: { ...options, ...more },
  });
  return { code: outputText, errors: diagnostics.map(tellOf) };
}

export const tellOf = (d) => `TS${d.code} ${ts.flattenDiagnosticMessageText(d.messageText, " ")}`;

// A body is emitted inside the function that Cloche reads it in, and taken out again.
function emitBody(source) {
  const { code, errors } = emit(bodyOf(source));
  const start = code.indexOf(before);
  const end = code.lastIndexOf("}");
  if (start < 0) throw new Error(`a body came out in another shape: ${code}`);
  // Helpers, such as the one for the rest of an object, come before the function.
  return { code: code.slice(0, start) + code.slice(start + before.length, end), errors };
}

// `export =` and `import x = require()` are CommonJS only: the module becomes a body that returns its exports, called
// with the context if they are a function.
function emitCommonJs(source) {
  const { code, errors } = emit(source, { module: ts.ModuleKind.CommonJS });
  const made = `const module = { exports: {} }, exports = module.exports;\n${code}\n` +
    `return typeof module.exports === "function" ? module.exports(context) : module.exports;`;
  return { code: made, errors };
}

export const emitters = { body: emitBody, module: emit, cjs: emitCommonJs };

// The source with blanks for its types: every position stays. Undefined where types are not all there is to take away.
export function blank(source, kind) {
  let isErasable = kind !== "cjs";
  const [head, tail] = kind === "body" ? [before, "\n}"] : ["", ""];
  const text = tsBlankSpace(head + source + tail, () => (isErasable = false));
  return isErasable ? text.slice(head.length, text.length - tail.length) : undefined;
}

export const parse = (text, isModule = false) =>
  ts.createSourceFile("main.ts", text, {
    languageVersion: ts.ScriptTarget.ESNext,
    setExternalModuleIndicator: (file) => {
      if (isModule) file.externalModuleIndicator = file; // whatever is in it: await is a keyword
    },
  }, true);

export function visit(node, seen) {
  seen(node);
  ts.forEachChild(node, (child) => visit(child, seen));
}

// Where the last statement of a body starts, if it is a return.
export function lastReturn(source) {
  const statement = parse(bodyOf(source)).statements[0].body.statements.at(-1);
  return statement && ts.isReturnStatement(statement) ? statement.getStart() - before.length : -1;
}

// The compiler's scanner, in order; only where a token starts and ends.
export function tokensOf(text) {
  const scanner = ts.createScanner(ts.ScriptTarget.ESNext, true, ts.LanguageVariant.Standard, text);
  const tokens = [];
  while (scanner.scan() !== ts.SyntaxKind.EndOfFileToken) tokens.push([scanner.getTokenStart(), scanner.getTokenEnd()]);
  return tokens;
}

// `declare x`, where x starts no declaration, is two statements in a line. The parser leaves out the missing semicolon
// and counts on the declaration to have the error.
function silentError(node, text) {
  const isName = ts.isExpressionStatement(node) && ts.isIdentifier(node.expression) && node.expression.text === "declare";
  if (!isName || !/^[ \t]*[\w"'`{]/.test(text.slice(node.end)) || text[node.end - 1] === ";") return [];
  return [{ code: 1005, messageText: "';' expected after declare." }];
}

export function parserErrorsOf(file) {
  const errors = [...file.parseDiagnostics];
  visit(file, (node) => errors.push(...silentError(node, file.text)));
  return errors;
}

// The checker is where the compiler has the rest of the grammar.
export function checkerErrorsOf(file) {
  const host = {
    fileExists: (name) => name === "main.ts",
    readFile: () => undefined,
    getSourceFile: (name) => (name === "main.ts" ? file : undefined),
    getDefaultLibFileName: () => "lib.d.ts",
    writeFile: () => {},
    getCurrentDirectory: () => "",
    getCanonicalFileName: (name) => name,
    useCaseSensitiveFileNames: () => true,
    getNewLine: () => "\n",
  };
  const program = ts.createProgram(["main.ts"], { ...options, noLib: true, noResolve: true, types: [] }, host);
  return [...program.getSemanticDiagnostics(file)];
}

export { ts };
