/** Everything a URL may not hold as it is; `%` stays, because the author may have encoded already. */
const UNSAFE = /[^A-Za-z0-9\-._~!$&'()*+,;=:@%/?]/gu;
const DOTS = /^(?:\.|%2e){1,2}$/i;

/** Literal text of a URL template, with what a URL may not hold percent-encoded. */
export function encodeLiteral(text: string): string {
  return text.toWellFormed().replace(UNSAFE, encodeURIComponent);
}

/** Tells `.` and `..`, encoded or not: segments that lead elsewhere instead of naming something. */
export function isDotSegment(segment: string): boolean {
  return DOTS.test(segment);
}
