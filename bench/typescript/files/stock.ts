// A tool that plans what to order for a warehouse.
enum Unit { Piece, Box, Pallet }
enum Urgency { Later = "later", Soon = "soon", Now = "now" }

namespace units {
  export const sizes: Record<Unit, number> = { [Unit.Piece]: 1, [Unit.Box]: 24, [Unit.Pallet]: 960 };

  export function pieces(count: number, unit: Unit): number {
    return count * sizes[unit];
  }

  export namespace round {
    export function up(count: number, unit: Unit): number {
      return Math.ceil(count / sizes[unit]);
    }
    export let least: number = 1;
  }
}

interface Movement { day: number; pieces: number }
interface Proposal { article: string; count: number; unit: Unit; urgency: Urgency; supplier: string }

abstract class Supplier {
  protected constructor(public readonly name: string, protected readonly days: number, private readonly minimum = 1) {}

  abstract unitFor(pieces: number): Unit;

  count(pieces: number): number {
    return Math.max(this.minimum, units.round.up(pieces, this.unitFor(pieces)));
  }

  get leadDays(): number {
    return this.days;
  }
}

class Wholesale extends Supplier {
  constructor(name: string, days: number) {
    super(name, days, units.round.least);
  }
  override unitFor(pieces: number): Unit {
    return pieces > units.sizes[Unit.Pallet] / 2 ? Unit.Pallet : Unit.Box;
  }
}

class Retail extends Supplier {
  constructor(name: string, private readonly isLocal: boolean) {
    super(name, isLocal ? 1 : 4);
  }
  override unitFor(pieces: number): Unit {
    return this.isLocal && pieces < 24 ? Unit.Piece : Unit.Box;
  }
}

class Article {
  constructor(
    public readonly id: string,
    private stock: number,
    private readonly history: readonly Movement[],
    public readonly suppliers: Supplier[] = [],
  ) {}

  perDay(): number {
    const days: number = new Set(this.history.map((m: Movement) => m.day)).size || 1;
    return this.history.reduce((all, m) => all + Math.abs(m.pieces), 0) / days;
  }

  daysLeft(): number {
    const rate = this.perDay();
    return rate > 0 ? this.stock / rate : Infinity;
  }

  urgency(leadDays: number): Urgency {
    const spare: number = this.daysLeft() - leadDays;
    if (spare <= 0) return Urgency.Now;
    return spare < 7 ? Urgency.Soon : Urgency.Later;
  }
}

function propose(article: Article): Proposal | null {
  const best: Supplier | undefined = [...article.suppliers].sort((a: Supplier, b: Supplier) => a.leadDays - b.leadDays)[0];
  if (!best) return null;
  const urgency = article.urgency(best!.leadDays);
  if (urgency === Urgency.Later) return null;
  const pieces: number = Math.ceil(article.perDay() * 14);
  return { article: article.id, count: best.count(pieces), unit: best.unitFor(pieces), urgency, supplier: best.name };
}

export default function plan(context: { articles: { id: string; stock: number; history: Movement[] }[] }): Proposal[] {
  const suppliers: Supplier[] = [new Wholesale("Nord", 5), new Retail("Eck", true)];
  return context.articles
    .map((a) => propose(new Article(a.id, a.stock, a.history, suppliers)))
    .filter((p): p is Proposal => p !== null);
}
