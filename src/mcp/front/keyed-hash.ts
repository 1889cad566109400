/** The first 32 bits of the fractions of the roots of the first primes: square roots for the start, cube roots for the rounds. */
const [START, ROUNDS] = makeConstants();
const BLOCK = 64;

/**
 * Returns the HMAC-SHA-256 of a text as hexadecimal digits.
 *
 * Written out because loading `node:crypto` takes a fifth of a front's start; a test compares both.
 */
export function keyedHash(key: string, text: string): string {
  const bytes = Buffer.from(key);
  const padded = Buffer.alloc(BLOCK);
  (bytes.length > BLOCK ? sha256(bytes) : bytes).copy(padded);
  const inner = sha256(Buffer.concat([padded.map((byte) => byte ^ 0x36), Buffer.from(text)]));
  return sha256(Buffer.concat([padded.map((byte) => byte ^ 0x5c), inner])).toString('hex');
}

function sha256(message: Buffer): Buffer {
  const blocks = Math.ceil((message.length + 9) / BLOCK);
  const padded = Buffer.alloc(blocks * BLOCK);
  message.copy(padded);
  padded[message.length] = 0x80;
  padded.writeBigUInt64BE(BigInt(message.length) * 8n, padded.length - 8);
  const state = Int32Array.from(START);
  const words = new Int32Array(64);
  for (let at = 0; at < padded.length; at += BLOCK) {
    for (let index = 0; index < 16; index++) words[index] = padded.readInt32BE(at + index * 4);
    mixBlock(state, words);
  }
  const digest = Buffer.alloc(32);
  for (const [index, word] of state.entries()) digest.writeInt32BE(word, index * 4);
  return digest;
}

/** Mixes one block into the state, as FIPS 180-4 describes. */
function mixBlock(state: Int32Array, words: Int32Array): void {
  const word = (index: number): number => words[index] ?? 0;
  for (let index = 16; index < 64; index++) {
    const [early, late] = [word(index - 15), word(index - 2)];
    const first = rotate(early, 7) ^ rotate(early, 18) ^ (early >>> 3);
    const second = rotate(late, 17) ^ rotate(late, 19) ^ (late >>> 10);
    words[index] = (word(index - 16) + first + word(index - 7) + second) | 0;
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state;
  for (let index = 0; index < 64; index++) {
    const first = (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) + ((e & f) ^ (~e & g));
    const one = (h + first + (ROUNDS[index] ?? 0) + word(index)) | 0;
    const two = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + one) | 0, c, b, a, (one + two) | 0];
  }
  for (const [index, value] of [a, b, c, d, e, f, g, h].entries()) state[index] = ((state[index] ?? 0) + value) | 0;
}

function rotate(value: number, by: number): number {
  return (value >>> by) | (value << (32 - by));
}

function makeConstants(): [Int32Array, Int32Array] {
  const primes: number[] = [];
  for (let number = 2; primes.length < 64; number++)
    if (primes.every((prime) => number % prime > 0)) primes.push(number);
  const fraction = (root: number): number => Math.floor((root - Math.floor(root)) * 2 ** 32) | 0;
  return [
    Int32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime))),
    Int32Array.from(primes, (prime) => fraction(Math.cbrt(prime))),
  ];
}
