import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { Redactor } from './redactor.ts';

const SECRET = 'p@ss w/rd+"é\n1';
const TOKEN = 'tok_ABCDEFGH12345678';
const redactor = new Redactor([SECRET, TOKEN, 'fake', '12345678']);
const base64 = (text: string): string => Buffer.from(text).toString('base64');

/** All forms in which texts may contain a secret. */
const WRITTEN: readonly (readonly [string, (secret: string) => string])[] = [
  ['plain', (secret) => secret],
  ['encodeURIComponent', encodeURIComponent],
  ['encodeURI', encodeURI],
  ['lower-case percent', (secret) => encodeURIComponent(secret).replaceAll(/%../g, (hex) => hex.toLowerCase())],
  ['every byte in percent', (secret) => Buffer.from(secret).toString('hex').replaceAll(/../g, '%$&')],
  ['twice in percent', (secret) => encodeURIComponent(encodeURIComponent(secret))],
  ['a form', (secret) => new URLSearchParams({ a: secret }).toString()],
  ['JSON', (secret) => JSON.stringify({ a: secret })],
  ['JSON with \\/', (secret) => JSON.stringify(secret).replaceAll('/', String.raw`\/`)],
  ['JSON within JSON', (secret) => JSON.stringify(JSON.stringify({ a: secret }))],
  [
    'JSON with \\u',
    (secret) => secret.replaceAll(/[^]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`),
  ],
  ['JSON in an address', (secret) => encodeURIComponent(JSON.stringify({ a: secret }))],
  ['HTML', (secret) => secret.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('é', '&#233;')],
  ['base64', base64],
  ['base64url', (secret) => Buffer.from(secret).toString('base64url')],
  ['base64 after one byte', (secret) => base64(`:${secret}`)],
  ['base64 after two bytes', (secret) => base64(`u:${secret} `)],
  ['base64url after five bytes', (secret) => Buffer.from(`user:${secret}`).toString('base64url')],
  ['base64 in an address', (secret) => encodeURIComponent(base64(secret))],
  ['base64 in lines', (secret) => base64('x'.repeat(48) + secret + 'y'.repeat(60)).replaceAll(/.{76}/g, '$&\n')],
  ['hex', (secret) => Buffer.from(secret).toString('hex')],
  ['upper-case hex', (secret) => Buffer.from(secret).toString('hex').toUpperCase()],
  ['bytes read as Latin-1', (secret) => Buffer.from(secret).toString('latin1')],
];

describe('Redactor', () => {
  for (const [way, write] of WRITTEN) {
    it(`finds a secret written as: ${way}`, () => {
      for (const secret of [SECRET, TOKEN]) {
        const clean = redactor.text(`before ${write(secret)} after`);
        expect(clean).toMatch(/^before .*\[redacted\].* after$/s);
        // Nothing that remains can be decoded: neither the written form, nor a longer part of the secret.
        expect(clean).not.toContain(write(secret));
        expect(clean).not.toContain(secret.slice(2, 8));
        expect(clean).not.toContain(base64(secret).slice(4, 16));
      }
    });

    it(`finds it when it arrives in parts: ${way}`, () => {
      for (const secret of [SECRET, TOKEN]) {
        const text = `before ${write(secret)} after`;
        for (const size of [1, 2, 3, 7]) {
          const gate = redactor.gate();
          const parts = text.match(new RegExp(`[^]{1,${size}}`, 'g')) ?? [];
          const clean = parts.map((part) => gate.push(part)).join('') + gate.end();
          expect(clean).toContain('[redacted]');
          expect(clean).not.toContain(secret.slice(2, 8));
          // The bits that a secret shares with the previous character may have been passed on already.
          if (!way.startsWith('base64')) expect(clean).toBe(redactor.text(text));
        }
      }
    });
  }

  it('removes a short secret only where it is a separate word', () => {
    expect(redactor.text('fake news, fakery, un-fake, _fake, fake_, x%20fake%20y, "fake"')).toBe(
      '[redacted] news, fakery, un-[redacted], _fake, fake_, x%20[redacted]%20y, "[redacted]"',
    );
    expect(redactor.text(`Basic ${base64('user:fake')}, ${base64('fake')} ${base64('fake news')}`)).toBe(
      `Basic dXNlcj[redacted], [redacted] ${base64('fake news')}`,
    );
    expect(redactor.text('éfake fakeé')).toBe('éfake fakeé');
    const gate = redactor.gate();
    const parts = ['a fa', 'ke fakery xf', 'ake fake'];
    expect(parts.map((part) => gate.push(part)).join('') + gate.end()).toBe('a [redacted] fakery xfake [redacted]');
  });

  it('keeps values that are too short or too common to be distinguished from other words', () => {
    const common = new Redactor(['abc', 'true', 'None', '  ', '1', '']);
    expect(common.isEmpty).toBe(true);
    expect(common.text('true abc None 1')).toBe('true abc None 1');
  });

  it('finds numbers in data, keys, and dates as they are sent', () => {
    const data = { a: 12345678, b: -5, c: 1.5, [TOKEN]: [TOKEN], d: new Date(0), e: null };
    expect(redactor.data(data)).toEqual({
      a: '[redacted]',
      b: -5,
      c: 1.5,
      '[redacted]': ['[redacted]'],
      d: '1970-01-01T00:00:00.000Z',
      e: null,
    });
    const untouched = { a: 1 };
    expect(new Redactor().data(untouched)).toBe(untouched);
  });

  it('removes overlapping secrets as one', () => {
    const two = new Redactor(['abcdefgh12', 'gh12345678']);
    expect(two.text('<abcdefgh12345678>')).toBe('<[redacted]>');
    expect(two.text('abcdefghabcdefgh12')).toBe('abcdefgh[redacted]');
  });

  it('covers a secret with as many stars', () => {
    expect(redactor.stars(`key: ${TOKEN} # end`)).toBe('key: ******************** # end');
  });

  it('removes partial secrets where output was omitted', () => {
    const text = `start ${TOKEN.slice(0, 9)}\n[1,000 of 2,000 bytes left out here]\n${TOKEN.slice(9)} end`;
    expect(redactor.cut(text)).toBe('start [redacted]\n[1,000 of 2,000 bytes left out here]\n[redacted] end');
  });

  it('finds each line of a secret of several lines', () => {
    const key = new Redactor(['-----BEGIN KEY-----\nMIIEvQIBADANBgkq\nhkiG9w0BAQEFAASC\n-----END KEY-----']);
    expect(key.text('  hkiG9w0BAQEFAASC\n')).toBe('  [redacted]\n');
  });

  it('removes other secrets as soon as they are added', () => {
    const changing = new Redactor(['first-secret']);
    expect(changing.text('first-secret second-secret')).toBe('[redacted] second-secret');
    changing.replace(['second-secret']);
    expect(changing.text('first-secret second-secret')).toBe('first-secret [redacted]');
  });

  it('finds any of many secrets anywhere, and changes nothing else', () => {
    let seed = 7;
    const random = (below: number): number => {
      seed = (seed * 1103515245 + 12345) % 2147483648;
      return seed % below;
    };
    const word = (length: number): string =>
      Array.from({ length }, () => 'abcdefghijklmnopqrstuvwxyz0123456789-_'.charAt(random(38))).join('');
    const secrets = Array.from({ length: 50 }, () => word(8 + random(40)));
    const many = new Redactor(secrets);
    for (let round = 0; round < 500; round++) {
      const secret = secrets[random(secrets.length)] ?? '';
      const [before, after] = [`${word(random(30))} `, ` ${word(random(30))}`];
      expect(many.text(before + secret + after)).toBe(`${before}[redacted]${after}`);
      const other = word(60);
      expect(many.text(other)).toBe(other);
    }
  });
});

describe('colours of a terminal', () => {
  const SECRET = 'sk-Live_9f8A7b6C5d4E';
  const coloured = `a \u001b[01;31m${SECRET.slice(0, 8)}\u001b[m\u001b[K${SECRET.slice(8)}\u001b[m!`;

  it('do not hide a secret, in a text, in JSON and in parts', () => {
    const redactor = new Redactor([SECRET]);
    expect(stripVTControlCharacters(redactor.text(coloured))).toBe('a [redacted]!');
    const inJson: unknown = JSON.parse(redactor.text(JSON.stringify(coloured)));
    expect(stripVTControlCharacters(String(inJson))).toBe('a [redacted]!');
    for (let at = 0; at <= coloured.length; at++) {
      const gate = redactor.gate();
      const shown = gate.push(coloured.slice(0, at)) + gate.push(coloured.slice(at)) + gate.end();
      expect(stripVTControlCharacters(shown)).toBe('a [redacted]!');
    }
  });
});

describe('a long text or value, searched in slices', () => {
  const SLICE = 256 * 1024;
  let pauses = 0;
  const pause = async (): Promise<void> => void pauses++;

  it.each(WRITTEN)('has no secret at the edges: %s', async (_, write) => {
    const written = write(SECRET);
    for (const place of [0, 1, Math.floor(written.length / 2), written.length - 1, written.length]) {
      const text = `${'. '.repeat(SLICE)}${' '.repeat(10)}`.slice(0, SLICE - place) + written + ' .'.repeat(SLICE);
      expect(await redactor.cutInSlices(text, pause)).toBe(redactor.cut(text));
    }
  });

  it('equals one that is searched at once, and pauses', async () => {
    const words = Array.from({ length: 30_000 }, (_, n) => (n % 1000 === 0 ? TOKEN : `word${n} 1234567890`));
    const value = { list: words, [TOKEN]: 1, nested: [{ number: 12_345_678, text: words.join(' ') }], none: null };
    pauses = 0;
    expect(await redactor.dataInSlices(value, pause)).toEqual(redactor.data(value));
    expect(pauses).toBeGreaterThan(15);
    const clean = { list: Array.from({ length: 10_000 }, (_, n) => ({ n })) };
    expect(await redactor.dataInSlices(clean, pause)).toBe(clean);
  });

  it('loses partial secrets at a gap', async () => {
    const gap = `\n\n[5 of 9 characters left out here]\n\n`;
    const text = `${'. '.repeat(SLICE)}${TOKEN.slice(0, 9)}${gap}${TOKEN.slice(9)}${' .'.repeat(SLICE)}`;
    expect(await redactor.cutInSlices(text, pause)).toBe(redactor.cut(text));
    expect(redactor.cut(text)).not.toContain(TOKEN.slice(0, 9));
  });
});

it('searches endless line breaks once', () => {
  const text = '\n'.repeat(1_000_000);
  expect(redactor.cut(text)).toBe(text);
});
