// Ends at its deadline, with what it printed so far and exit status 124.
//
//   cloche run forever.js --timeout 50ms

console.log('on my way');
for (;;) {
  try {
    for (;;) new Promise(() => { for (;;) {} });
  } catch {
    // nothing to catch: a deadline is no exception
  }
}
