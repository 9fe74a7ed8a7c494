// A module: its default export is called with the context, and a string is printed as it is.
//
//   cloche run invoice.mjs --context @order.json > invoice.html

const escape = text => String(text).replace(/[&<>"]/g, c => `&#${c.charCodeAt(0)};`);
const row = ({ sku, qty, price }) => `  <tr><td>${escape(sku)}</td><td>${qty}</td><td>${(qty * price).toFixed(2)}</td></tr>`;

export default ({ order }) => `<table>
${order.items.map(row).join('\n')}
</table>
`;
