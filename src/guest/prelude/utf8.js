/* utf8.js - bytes to text; whatever is not UTF-8 becomes U+FFFD, as the Encoding Standard says
 */
(function (host, internal) {
  'use strict';

  const { typedLength, fromCodePoint } = internal.primordials;

  /* `bytes` is a Uint8Array. */
  internal.utf8Decode = (bytes) => {
    const length = typedLength(bytes);
    let text = '';
    let at = 0;
    while (at < length) {
      const lead = bytes[at++];
      if (lead < 0x80) {
        text += fromCodePoint(lead);
        continue;
      }
      let more = 0;
      if (lead >= 0xc2 && lead <= 0xdf) more = 1;
      else if (lead >= 0xe0 && lead <= 0xef) more = 2;
      else if (lead >= 0xf0 && lead <= 0xf4) more = 3;
      if (more === 0) {
        text += '\ufffd';
        continue;
      }
      let point = lead & (0x3f >> more);
      let lower = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
      let upper = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
      while (more !== 0 && at < length && bytes[at] >= lower && bytes[at] <= upper) {
        point = (point << 6) | (bytes[at++] & 0x3f);
        lower = 0x80;
        upper = 0xbf;
        more--;
      }
      text += more === 0 ? fromCodePoint(point) : '\ufffd';
    }
    return text;
  };
})
