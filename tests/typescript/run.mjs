// run.mjs - Cloche's translation of TypeScript beside the TypeScript compiler's
//
//   node run.mjs CLOCHE [--only WORD] [--mutants N] [--seed N]
//
// Ends in "N passed, N failed"; every disagreement is printed with its source.
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { check, framesOf, outcomeOf, startBatch } from "./cloche.mjs";
import {
  blank, bodyOf, checkerErrorsOf, emitters, lastReturn, parse, parserErrorsOf, tellOf, ts, visit,
} from "./compiler.mjs";
import { isEarly } from "./early.mjs";
import { makeMutants } from "./mutants.mjs";
import { placeAt, readPositions, readSnippets } from "./snippets.mjs";

const [program, ...rest] = process.argv.slice(2);
const take = (name, fallback) => {
  const at = rest.indexOf(name);
  return at < 0 ? fallback : rest.splice(at, 2)[1];
};
const only = take("--only", "");
const mutantCount = Number(take("--mutants", "300"));
const seed = Number(take("--seed", "1"));
if (program === undefined || rest.length > 0) throw new Error("usage: run.mjs CLOCHE [--only WORD] [--mutants N] [--seed N]");

const folder = dirname(fileURLToPath(import.meta.url));
const snippets = readSnippets();
const chosen = snippets.filter(({ id }) => id.includes(only));
let passed = 0;
let failed = 0;

const disagreed = new Set();

// How a difference that is left shows itself.
const known = new Map(
  readFileSync(join(folder, "known.txt"), "utf8").split("\n").filter((line) => /^[a-z]/.test(line)).map((line) => line.split(" ")),
);
const met = new Set();

function judgeKnown(id, agrees, ours) {
  met.add(id);
  const shown = ours.errorCode === "SANDBOX_INVALID_CODE" ? "refused" : "differs";
  if (!agrees && shown === known.get(id)) return;
  failed++;
  console.log(`FAILED ${id}\n  known.txt says that it is ${known.get(id)}; it ${agrees ? "agrees" : shown}\n`);
}

function judge(id, holds, tell) {
  if (holds) passed++;
  else {
    failed++;
    disagreed.add(id);
    console.log(`FAILED ${id}\n${tell().map((line) => "  " + line.replaceAll("\n", "\n  ")).join("\n")}\n`);
  }
}
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
const show = JSON.stringify;

const batch = startBatch(program);

// ---- snippets: the same outcome from both translations ----

async function compareOutcome({ id, kind, isFailing, source }) {
  const { code } = emitters[kind](source);
  const [ours, theirs] = await Promise.all([batch.run(id, source, "ts"), batch.run(id, code, "js")]);
  // Undefined comes back as no value, which would say nothing about the source.
  const says = isFailing ? !ours.ok : ours.ok && Object.hasOwn(ours, "value");
  if (known.has(id)) return judgeKnown(id, says && same(outcomeOf(ours), outcomeOf(theirs)), ours);
  judge(id, says && same(outcomeOf(ours), outcomeOf(theirs)), () => [
    source, "-- cloche", show(outcomeOf(ours)), "-- typescript", show(outcomeOf(theirs)), code,
  ]);
}

// ---- snippets: an error thrown where the result would be returned has its place in the source ----

async function comparePlace({ id, kind, source }) {
  const at = kind === "body" ? lastReturn(source) : -1;
  if (at < 0) return;
  const thrown = 'throw new Error("mark"); ';
  const marked = source.slice(0, at) + thrown + source.slice(at);
  const ours = await batch.run(id, marked, "ts");
  if (ours.errorDetail?.message !== "mark") return; // its outcome has been judged
  const want = placeAt(marked, at + thrown.indexOf("Error"));
  const blanked = blank(marked, kind);
  const theirs = blanked !== undefined ? await batch.run(id, blanked, "js") : undefined;
  const isLikeJs = theirs?.errorDetail?.message !== "mark" || same(framesOf(ours), framesOf(theirs));
  judge(`${id} (place)`, framesOf(ours)[0] === want && isLikeJs, () => [
    marked, `-- cloche ${framesOf(ours)}`, `-- source ${want}`, `-- types blanked, as JavaScript ${theirs && framesOf(theirs)}`,
  ]);
}

// ---- positions.txt: whole stacks, by marks and by the same text with blanks for types ----

async function compareFrames({ id, kind, source, frames }) {
  const ours = await batch.run(id, source, "ts");
  const blanked = blank(source, kind);
  const theirs = blanked !== undefined ? await batch.run(id, blanked, "js") : undefined;
  const got = framesOf(ours);
  const { line, column } = ours.errorDetail ?? {};
  const isAsMarked = `${line}:${column}` === frames[0] && frames.every((frame, i) => got[i] === frame);
  const isLikeJs = theirs === undefined || (same(got, framesOf(theirs)) && same(outcomeOf(ours), outcomeOf(theirs)));
  judge(id, isAsMarked && isLikeJs, () => [
    source, `-- cloche ${got}`, `-- marks ${frames}`, `-- types blanked, as JavaScript ${theirs && framesOf(theirs)}`,
    show(outcomeOf(ours)),
  ]);
}

// ---- the syntax kinds: every one that a parser makes of TypeScript is in a snippet ----

const notWritten = /^(Jsx|JSDoc|Decorator$|Synthe|NotEmitted|PartiallyEmitted|CommaList|Bundle|Missing|SyntaxList|Assert(Clause|Entry)$|ImportTypeAssertion|With|Count$|Unknown$|SourceFile$)/;

function compareCoverage() {
  const seen = new Set();
  for (const { kind, source } of snippets)
    visit(parse(kind === "body" ? bodyOf(source) : source), (node) => seen.add(node.kind));
  const names = Object.entries(ts.SyntaxKind).filter(([name, kind]) => typeof kind === "number" && !/^(First|Last)/.test(name));
  const isNode = (kind) => kind >= ts.SyntaxKind.FirstNode && kind < ts.SyntaxKind.FirstJSDocNode;
  for (const [name, kind] of names)
    if (isNode(kind) && !notWritten.test(name)) judge(`a snippet has a ${name}`, seen.has(kind), () => ["none has"]);
}

// ---- sources of packages, and mutants: `cloche check` accepts what the compiler parses ----

function readPackages() {
  const root = join(folder, "node_modules");
  const skipped = [join("node_modules", "typescript"), join("node_modules", "ts-blank-space")];
  return readdirSync(root, { recursive: true })
    .map((name) => join(root, name))
    .filter((path) => /\.ts$/.test(path) && !/\.d\.ts$/.test(path) && !skipped.some((s) => path.includes(s)))
    .sort()
    .map((path) => ({ id: relative(root, path), kind: "module", source: readFileSync(path, "utf8") }));
}

// A source is read as a body or as a module; the compiler has the choice too.
function theirErrors(source) {
  const fewest = (a, b) => a.length - b.length;
  const files = [parse(source, true), parse(bodyOf(source))];
  const clean = files.filter((file) => parserErrorsOf(file).length === 0);
  const early = () => clean.map((file) => checkerErrorsOf(file).filter(isEarly)).sort(fewest)[0];
  return clean.length > 0 ? { parser: [], early } : { parser: files.map(parserErrorsOf).sort(fewest)[0], early: () => [] };
}

// What the contract says is refused, whatever the compiler makes of it.
const documented = /^SANDBOX_INVALID_CODE (accessor fields|decorators|JSX) (is|are) not supported/;

// A mutant that both take does the same. It may loop, hence the limit; which of the two gets there says nothing.
async function compareMutant({ id, kind, source }) {
  const { code, errors } = emitters[kind](source);
  const { parser, early } = theirErrors(source);
  if (errors.length + parser.length > 0 || early().length > 0) return;
  const [ours, theirs] = await Promise.all(
    [[source, "ts"], [code, "js"]].map(([text, language]) => batch.run(id, text, language, { timeoutMs: 500 })),
  );
  if ([ours, theirs].some(({ errorCode }) => errorCode === "SANDBOX_TIMEOUT")) return count("timed out");
  // The text of a function is the printer's: white space is not compared.
  const dense = (answer) => show(outcomeOf(answer)).replaceAll(/\s|\\[nrt]/g, "");
  judge(`${id} (run)`, dense(ours) === dense(theirs), () => [
    source, "-- cloche", show(outcomeOf(ours)), "-- typescript", show(outcomeOf(theirs)), code,
  ]);
}

const counts = new Map();
const count = (what) => counts.set(what, (counts.get(what) ?? 0) + 1);

async function compareAcceptance(sources, isMutant) {
  const verdicts = await check(program, sources.map(({ source }) => source));
  sources.forEach(({ id, source }, i) => {
    const verdict = verdicts[i];
    const { parser, early } = theirErrors(source);
    // An import that leads nowhere is looked for after parsing.
    const isParsed = verdict.ok || (verdict.errorDetail?.message ?? "").startsWith("Cannot find module '");
    const isOrdinary = isParsed || verdict.errorCode === "SANDBOX_INVALID_CODE";
    const isDocumented = documented.test(`${verdict.errorCode} ${verdict.errorDetail?.message}`);
    const isOpen = !isParsed && parser.length === 0 && !isDocumented;
    const isStricter = isOpen && early().length === 0;
    const isLaxer = isParsed && parser.length > 0;
    // Words used as names are where the parsers differ (known.txt); a mutant makes such places anew.
    if (isMutant && isStricter) return count(`stricter: refused, ${verdict.errorDetail?.message}`);
    if (isLaxer) count(`laxer: accepted, ${tellOf(parser[0])}`);
    else if (isDocumented) count("refused as the contract says");
    else if (isOpen && !isStricter) count("agreed: refused, and by the checker");
    else if (!isStricter) count(isParsed ? "agreed: accepted" : "agreed: refused");
    judge(id, isOrdinary && !isStricter && (isMutant || !isLaxer), () => [
      isMutant ? source : "(a package's source)", "-- cloche", show({ errorCode: verdict.errorCode, ...verdict.errorDetail }),
      "-- typescript", parser.length > 0 ? parser.map(tellOf).join("\n") : "parses",
    ]);
  });
  return sources.filter((_, i) => verdicts[i].ok);
}

for (const snippet of chosen) await compareOutcome(snippet);
for (const snippet of chosen) await comparePlace(snippet);
for (const position of readPositions().filter(({ id }) => id.includes(only))) await compareFrames(position);
if (only === "") {
  compareCoverage();
  const packages = readPackages();
  await compareAcceptance(packages, false);
  // A mutant of what disagrees says nothing new; of a large source, little for its time.
  const bases = [...snippets, ...packages].filter(
    ({ id, isFailing, source }) => !disagreed.has(id) && !known.has(id) && !isFailing && source.length < 3000,
  );
  const accepted = await compareAcceptance(makeMutants(bases, mutantCount, seed), true);
  for (const mutant of accepted) await compareMutant(mutant);
  judge("every name of known.txt is a snippet", met.size === known.size, () => [...known.keys()].filter((id) => !met.has(id)));
  console.log(`${snippets.length} snippets, ${known.size} known to differ, ${packages.length} sources of packages, ${mutantCount} mutants of seed ${seed}`);
  for (const [what, n] of [...counts].sort((a, b) => b[1] - a[1])) console.log(`${String(n).padStart(5)}  ${what}`);
}
batch.close();
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
