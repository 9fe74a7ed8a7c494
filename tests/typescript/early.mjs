// early.mjs - which of the checker's errors are about syntax
//
// The compiler's parser takes more than the grammar allows and leaves the rest to the checker, next to errors of types.
// An engine has to refuse all of it before it runs anything, so a refusal here is one that both agree on.

const codes = new Set([
  2300, 2323, 2395, 2451, 2528, // declared or exported twice
  2206, 2207, // `type` in `import type { type A }`
  2337, // super() outside a constructor
  2356, 2357, 2364, 2406, 2487, 2632, 2777, 2779, 2780, 2781, // not a target of an assignment
  2369, // parameter property outside a constructor
  2462, 2566, // rest element that is not the last
  2480, // let as the name of a let
  2491, 2492, // for-in patterns, the name of a catch again
  4112, 4113, 4114, // override
]);

export function isEarly({ code, file, start }) {
  if (code < 2000 || (code >= 8000 && code < 9000) || (code >= 17000 && code < 19000) || codes.has(code)) return true;
  if (file === undefined) return false;
  const before = file.text.slice(0, start);
  const after = file.text.slice(start);
  if (code === 2339) return after.startsWith("#"); // a private name that the class does not have
  if (code !== 2304 && code !== 2552) return false;
  // Types are looked up by any word, reserved ones too.
  if (/^(instanceof|in|new|const|enum|class|function|return|default|extends|export|import|typeof)\b/.test(after)) return true;
  // A name in an export list that nothing declares.
  return /export\s*\{[^}]*$/.test(before);
}
