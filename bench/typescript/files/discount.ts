interface Order { total: number; country: string }
export default function discount(order: Order): number {
  const limit: number = order.country === "DE" ? 100 : 150;
  return order.total > limit ? 0.1 : 0;
}
