// What the image tool has translated to see which data a translation writes.
interface User { id: number; name: string; tags?: string[] }
type Pair<A, B = A> = readonly [A, B];
enum Kind { A = 1, B, C = "c" }
namespace N { export const x = 1; export namespace M { export let y: number = 2 } }
abstract class Base<T> { protected abstract run(x: T): void; constructor(public readonly id: number, private n = 5) {} }
class Impl extends Base<string> implements Iterable<number> { run(x: string): void { console.log(x as string) } *[Symbol.iterator]() { yield 1 } }
const f = async <T,>(x: T, ...rest: Array<T>): Promise<T> => { try { return x! } catch (e: unknown) { throw e } finally { } };
export default function (u: User): Pair<number> { const { id, name = `a${u.name}`, ...o } = u; for (const k in o) if (/x/g.test(k)) continue; switch (id) { case 1: break; default: } return [id, name.length] }
declare global { var z: number }
export type { Pair }; let v = <number>(5 as any) satisfies number;
