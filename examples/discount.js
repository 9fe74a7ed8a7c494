// A rule as a function body: `return` gives the value, the context's keys are globals.
//
//   cloche run discount.js --context @order.json

const total = order.items.reduce((sum, item) => sum + item.qty * item.price, 0);
const percent = total >= 500 ? 15 : total >= 200 ? 10 : 0;

console.log(`${order.items.length} items, ${total.toFixed(2)} ${order.currency}`);

return { percent, toPay: Number((total * (1 - percent / 100)).toFixed(2)) };
