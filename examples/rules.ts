// Rules in TypeScript: types are for whoever writes them, an enum and a namespace are code.
//
//   cloche run rules.ts --context @order.json

interface Item {
  name: string
  qty: number
  price: number
}

enum Shipping {
  Free = 'free',
  Standard = 'standard',
  Freight = 'freight',
}

namespace Weight {
  export const perItem = 1.5
  export const of = (items: readonly Item[]): number => items.reduce((sum, item) => sum + item.qty * perItem, 0)
}

declare const order: { currency: string; items: Item[] }

class Rule<T> {
  constructor(
    readonly name: string,
    private readonly test: (subject: T) => boolean,
    readonly result: Shipping,
  ) {}

  applies(subject: T): this is Rule<T> {
    return this.test(subject)
  }
}

const total = (items: readonly Item[]): number => items.reduce((sum, item) => sum + item.qty * item.price, 0)

const rules = [
  new Rule<Item[]>('heavy', (items) => Weight.of(items) > 30, Shipping.Freight),
  new Rule<Item[]>('large order', (items) => total(items) >= 200, Shipping.Free),
  new Rule<Item[]>('any other', () => true, Shipping.Standard),
] as const satisfies readonly Rule<Item[]>[]

const rule = rules.find((each) => each.applies(order.items))!
console.log(`${rule.name}: ${total(order.items).toFixed(2)} ${order.currency}`)

return { shipping: rule.result, rule: rule.name }
