import { createHmac } from 'node:crypto';
import { expect, it } from 'vitest';
import { keyedHash } from './keyed-hash.ts';

it('is the HMAC that node:crypto makes, for keys and texts of every length around a block', () => {
  for (let length = 0; length < 200; length++) {
    const [key, text] = ['k'.repeat(length % 150), 'ä'.repeat(length)];
    expect(keyedHash(key, text)).toBe(createHmac('sha256', key).update(text).digest('hex'));
  }
});
