/** Characters that a URL cannot contain. `%` is allowed, because the author may have encoded the text. */
const UNSAFE = /[^A-Za-z0-9\-._~!$&'()*+,;=:@%/?]/gu;
const DOTS = /^(?:\.|%2e){1,2}$/i;

/** Percent-encodes the literal text of a URL template where necessary. */
export function encodeLiteral(text: string): string {
  return text.toWellFormed().replace(UNSAFE, encodeURIComponent);
}

/** Returns true for the path segments `.` and `..`, encoded or not. */
export function isDotSegment(segment: string): boolean {
  return DOTS.test(segment);
}
