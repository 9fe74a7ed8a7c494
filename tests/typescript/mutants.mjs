// mutants.mjs - sources that are nearly right: a token deleted, doubled or swapped with the next
import { tokensOf } from "./compiler.mjs";

// mulberry32: the same mutants from the same seed on every machine
function randomFrom(seed) {
  return (below) => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) % below;
  };
}

export function makeMutants(bases, count, seed) {
  const random = randomFrom(seed);
  const seen = new Set(bases.map((base) => base.source));
  const mutants = [];
  while (mutants.length < count) {
    const base = bases[random(bases.length)];
    const text = base.source;
    const tokens = tokensOf(text);
    if (tokens.length < 3) continue;
    const at = random(tokens.length - 1);
    const [[from, to], [next, end]] = [tokens[at], tokens[at + 1]];
    const token = text.slice(from, to);
    const [how, source] = [
      ["without", text.slice(0, from) + text.slice(to)],
      ["twice", text.slice(0, to) + " " + token + text.slice(to)],
      ["swapped", text.slice(0, from) + text.slice(next, end) + text.slice(to, next) + token + text.slice(end)],
    ][random(3)];
    if (seen.has(source)) continue;
    seen.add(source);
    mutants.push({ id: `${base.id} ${how} ${JSON.stringify(token)} at ${from}`, kind: base.kind, source });
  }
  return mutants;
}
