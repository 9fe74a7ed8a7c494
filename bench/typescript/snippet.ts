// Which offers a customer sees, and in which order.
interface Offer {
  id: string;
  price: number;
  stock: number;
  tags: readonly string[];
}

interface Customer {
  country: string;
  tags: string[];
  spent: number;
}

type Score = { offer: Offer; points: number };

const countries: ReadonlySet<string> = new Set<string>(["DE", "AT", "CH"]);
const weights: Record<string, number> = { tag: 5, stock: 1, price: 2 };

function overlap(a: readonly string[], b: readonly string[]): number {
  return a.filter((tag: string): boolean => b.includes(tag)).length;
}

function isVisible(offer: Offer, customer: Customer): boolean {
  const isRare: boolean = offer.tags.includes("rare");
  return offer.stock > 0 && (!isRare || customer.spent > 500);
}

function scoreOf(offer: Offer, customer: Customer): Score {
  let points: number = overlap(offer.tags, customer.tags) * weights.tag!;
  points += Math.min(offer.stock, 10) * weights.stock!;
  points -= (offer.price / 100) * (weights.price as number);
  return { offer, points };
}

const customer: Customer = { country: "DE", tags: ["tea", "cups"], spent: 620 };
const offers: Offer[] = [
  { id: "pot", price: 4900, stock: 3, tags: ["tea", "rare"] },
  { id: "mug", price: 900, stock: 40, tags: ["cups"] },
  { id: "tin", price: 500, stock: 0, tags: ["tea"] },
];

const scores: Score[] = offers
  .filter((offer: Offer): boolean => isVisible(offer, customer))
  .map((offer: Offer): Score => scoreOf(offer, customer));
scores.sort((a: Score, b: Score): number => b.points - a.points);

const ids = scores.map((score: Score) => score.offer.id) satisfies string[];
return countries.has(customer.country) ? ids : [];
