// A rule that turns an order into the lines of an invoice.
type Currency = "EUR" | "USD" | "CHF";
type Cents = number;

interface Item {
  readonly sku: string;
  readonly title: string;
  quantity: number;
  price: Cents;
  taxClass?: TaxClass;
}

type TaxClass = "normal" | "reduced" | "free";

interface Customer {
  id: number;
  country: string;
  vatId: string | null;
  tags?: readonly string[];
}

interface Order {
  number: string;
  currency: Currency;
  customer: Customer;
  items: Item[];
  voucher?: { code: string; percent: number };
}

interface Line { title: string; net: Cents; tax: Cents; rate: number }
interface Invoice { order: string; lines: Line[]; net: Cents; tax: Cents; total: Cents; notes: string[] }

const rates: { readonly [country: string]: Record<TaxClass, number> } = {
  DE: { normal: 0.19, reduced: 0.07, free: 0 },
  FR: { normal: 0.2, reduced: 0.055, free: 0 },
  CH: { normal: 0.081, reduced: 0.026, free: 0 },
};

function rateOf(item: Item, customer: Customer): number {
  const table: Record<TaxClass, number> | undefined = rates[customer.country];
  if (table === undefined) return 0;
  const isReverse: boolean = customer.vatId !== null && customer.country !== "DE";
  return isReverse ? 0 : table[item.taxClass ?? "normal"];
}

function sum<T>(list: readonly T[], of: (element: T) => Cents): Cents {
  return list.reduce((all: Cents, element: T): Cents => all + of(element), 0);
}

class Discounts {
  private readonly percent: number;
  private used: Map<string, Cents> = new Map<string, Cents>();

  constructor(order: Order) {
    const loyal: boolean = order.customer.tags?.includes("loyal") ?? false;
    this.percent = Math.min(30, (order.voucher?.percent ?? 0) + (loyal ? 5 : 0));
  }

  apply(item: Item): Cents {
    const gross: Cents = item.price * item.quantity;
    const off: Cents = Math.round((gross * this.percent) / 100);
    this.used.set(item.sku, off);
    return gross - off;
  }

  get total(): Cents {
    return sum<Cents>([...this.used.values()], (off: Cents) => off);
  }
}

function lineOf(item: Item, order: Order, discounts: Discounts): Line {
  const net = discounts.apply(item) as Cents;
  const rate = rateOf(item, order.customer);
  return { title: `${item.quantity} x ${item.title}`, net, tax: Math.round(net * rate), rate } satisfies Line;
}

export default function invoice(context: { order: Order }): Invoice {
  const { order }: { order: Order } = context;
  const discounts: Discounts = new Discounts(order);
  const lines: Line[] = order.items.filter((item: Item) => item.quantity > 0).map((item) => lineOf(item, order, discounts));
  const net: Cents = sum(lines, (line: Line) => line.net);
  const tax: Cents = sum(lines, (line: Line) => line.tax);
  const notes: string[] = [];

  if (discounts.total > 0) notes.push(`saved ${(discounts.total / 100).toFixed(2)} ${order.currency}`);
  if (tax === 0 && order.customer.vatId) notes.push(`reverse charge, ${order.customer.vatId!}`);
  return { order: order.number, lines, net, tax, total: net + tax, notes };
}
