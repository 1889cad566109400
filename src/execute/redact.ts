import { isPlainObject } from '../core/json.ts';

const MASK = '[redacted]';
const MAX_MESSAGE = 4000;
const MIN_HALF = 4;

/** Shapes that are secrets whoever wrote them: credentials in URLs, bearer tokens, keys with a known prefix, key=value. */
const SECRET_SHAPES: readonly (readonly [RegExp, string])[] = [
  [/\b([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/:@]{1,256}:[^\s/@]{1,256}@/gi, `$1${MASK}@`],
  [/\b(bearer|basic)\s+[A-Za-z0-9._~+/=-]{8,}/gi, `$1 ${MASK}`],
  [/\b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{16,}/g, MASK],
  [/\b(?:gh[pousr]_|github_pat_|glpat-|xox[abprs]-|AKIA|AIza)[A-Za-z0-9_-]{12,}/g, MASK],
  [/\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*/g, MASK],
  [
    /\b((?:api[-_]?key|access[-_]?token|auth[-_]?token|token|secret|password|passwd|pwd)["']?\s{0,3}[=:]\s{0,3})(?:"[^"\n]{1,512}"|'[^'\n]{1,512}'|[^\s,;&"'[]{1,512})/gi,
    `$1${MASK}`,
  ],
];

/** Takes the secrets a board was told about out of a text. */
export function redactKnown(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) clean = clean.replaceAll(secret, MASK);
  return clean;
}

/** Where output was left out, a secret may have been cut in two: takes away the halves on both sides. */
export function redactCut(text: string, secrets: readonly string[]): string {
  const remark = /\n+\[[\d,]+ of [\d,]+ (?:bytes|characters) left out here[^\n]*\]\n+/.exec(text);
  if (remark === null) return text;
  let head = text.slice(0, remark.index);
  let tail = text.slice(remark.index + remark[0].length);
  for (const secret of secrets) {
    for (let length = secret.length - 1; length >= MIN_HALF; length--) {
      if (head.endsWith(secret.slice(0, length))) head = head.slice(0, -length) + MASK;
      if (tail.startsWith(secret.slice(-length))) tail = MASK + tail.slice(length);
    }
  }
  return head + remark[0] + tail;
}

/** Makes a thrown error's message fit for a model: no stack lines, nothing shaped like a secret. */
export function cleanMessage(message: string): string {
  const short = message.length > MAX_MESSAGE ? `${message.slice(0, MAX_MESSAGE)}…` : message;
  let clean = short.replaceAll(/\n\s+at [^\n]*/g, '');
  for (const [shape, replacement] of SECRET_SHAPES) clean = clean.replace(shape, replacement);
  return clean;
}

/** A copy of a JSON-like value without the known secrets. */
export function redactData(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === 'string') return redactKnown(value, secrets);
  if (Array.isArray(value)) return value.map((item) => redactData(item, secrets));
  if (typeof value !== 'object' || value === null) return value;
  // Dates, maps and the like: what they are as JSON is what goes out.
  if (!isPlainObject(value)) return redactData(JSON.parse(JSON.stringify(value) ?? 'null'), secrets);
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [redactKnown(key, secrets), redactData(item, secrets)]),
  );
}
