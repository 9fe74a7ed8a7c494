// snippets.mjs - the blocks of snippets/*.txt and positions.txt
//
//   //// name [module|cjs] [throws] [crlf|cr|ls|bom]
//   source, up to the next such line
//
// module  an ES module; cjs: one with `export =` or `import x = require()`; neither: a function body
// throws  it fails, in both translations alike; without this word it has to give a value
//
// In positions.txt ⟨1⟩, ⟨2⟩, ... stand before the places of the stack's frames, innermost first, and are taken out.
import { readFileSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const folder = dirname(fileURLToPath(import.meta.url));

// Line ends and marks that an editor would not keep.
const changes = {
  crlf: (text) => text.replaceAll("\n", "\r\n"),
  cr: (text) => text.replaceAll("\n", "\r"),
  ls: (text) => text.replaceAll("¶", "\u2028"),
  bom: (text) => "\uFEFF" + text,
};
const words = ["module", "cjs", "throws", ...Object.keys(changes)];

function readBlocks(file) {
  const parts = readFileSync(join(folder, file), "utf8").split(/^\/\/\/\/ (.*)\n/m);
  const blocks = [];
  if (parts[0].trim() !== "") throw new Error(`${file}: text before the first name`);
  for (let i = 1; i < parts.length; i += 2) {
    const [name, ...flags] = parts[i].split(" ");
    const odd = flags.filter((flag) => !words.includes(flag));
    if (odd.length > 0) throw new Error(`${file}: ${name}: ${odd} is not known`);
    let source = parts[i + 1].trimEnd();
    for (const flag of flags) source = changes[flag]?.(source) ?? source;
    const kind = flags.includes("module") ? "module" : flags.includes("cjs") ? "cjs" : "body";
    blocks.push({ id: `${file.replace(/^.*\/|\.txt$/g, "")}/${name}`, kind, isFailing: flags.includes("throws"), source });
  }
  return blocks;
}

function allDistinct(blocks) {
  for (const key of ["id", "source"]) {
    const seen = new Set();
    for (const block of blocks) {
      if (seen.has(block[key])) throw new Error(`${block.id}: the same ${key} twice`);
      seen.add(block[key]);
    }
  }
  return blocks;
}

export const readSnippets = () =>
  allDistinct(readdirSync(join(folder, "snippets")).sort().flatMap((file) => readBlocks(`snippets/${file}`)));

// Lines end as JavaScript's do; columns are UTF-16 units from 1.
export function placeAt(text, offset) {
  const lines = text.slice(0, offset).split(/\r\n|[\n\r\u2028\u2029]/);
  return `${lines.length}:${lines.at(-1).length + 1}`;
}

export function readPositions() {
  return allDistinct(readBlocks("positions.txt")).map((block) => {
    const [first, ...parts] = block.source.split(/⟨(\d)⟩/);
    const frames = [];
    let source = first;
    for (let i = 0; i < parts.length; i += 2) {
      frames[parts[i] - 1] = placeAt(source, source.length);
      source += parts[i + 1];
    }
    if (frames.length === 0 || frames.includes(undefined)) throw new Error(`${block.id}: a mark is missing`);
    return { ...block, source, frames };
  });
}
