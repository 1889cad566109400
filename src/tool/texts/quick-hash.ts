/**
 * Hashes a text to sixteen hexadecimal digits, to name files in a cache. Not for secrets or untrusted texts. Used instead of `node:crypto`,
 * which takes longer to load than a small command takes to run.
 */
export function quickHash(text: string): string {
  let [one, two] = [0xde_ad_be_ef, 0x41_c6_ce_57];
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    one = Math.imul(one ^ unit, 2_654_435_761);
    two = Math.imul(two ^ unit, 1_597_334_677);
  }
  one = Math.imul(one ^ (one >>> 16), 2_246_822_507) ^ Math.imul(two ^ (two >>> 13), 3_266_489_909);
  two = Math.imul(two ^ (two >>> 16), 2_246_822_507) ^ Math.imul(one ^ (one >>> 13), 3_266_489_909);
  return [one, two].map((part) => (part >>> 0).toString(16).padStart(8, '0')).join('');
}
