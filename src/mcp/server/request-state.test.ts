import { describe, expect, it } from 'vitest';
import { readInputResponses, RequestStates } from './request-state.ts';

const STATE = { digest: 'd', caller: 'ada', answers: { name: { action: 'accept' } }, asked: ['colour'] };
const EXPECTED = { digest: 'd', caller: 'ada' };
const secret = Buffer.from('secret');

describe('RequestStates', () => {
  it('opens what it sealed, for the same request of the same caller', () => {
    const states = new RequestStates(secret, () => 0);
    expect(states.open(states.seal(STATE), EXPECTED)).toMatchObject(STATE);
    expect(states.seal(STATE)).not.toBe(states.seal(STATE));
  });

  it('refuses what was changed, comes from elsewhere, is too old or was used', () => {
    let now = 0;
    const states = new RequestStates(secret, () => now);
    const text = states.seal(STATE);
    const [content = '', signature = ''] = text.split('.');
    const forged = Buffer.from(JSON.stringify({ ...STATE, nonce: 'n', expires: 9e15 })).toString('base64url');
    const wrong = [undefined, 7, '', 'x', `${text}x`, `${forged}.${signature}`, content, `${text}.more`];
    for (const given of wrong)
      expect(() => states.open(given, EXPECTED)).toThrow('was changed or comes from another server');
    expect(() => new RequestStates().open(text, EXPECTED)).toThrow('was changed or comes from another server');
    expect(() => states.open(text, { ...EXPECTED, digest: 'e' })).toThrow('belongs to another request');
    expect(() => states.open(text, { ...EXPECTED, caller: 'bob' })).toThrow('belongs to another caller');
    states.spend(states.open(text, EXPECTED));
    expect(() => states.open(text, EXPECTED)).toThrow('was used before');
    const other = states.seal(STATE);
    now = 11 * 60_000;
    expect(() => states.open(other, EXPECTED)).toThrow('is too old');
  });
});

describe('readInputResponses', () => {
  it('takes objects of objects and nothing else', () => {
    expect(readInputResponses(undefined)).toEqual({});
    expect(readInputResponses({ a: { action: 'accept' } })).toEqual({ a: { action: 'accept' } });
    expect(() => readInputResponses([])).toThrow('inputResponses must be an object.');
    expect(() => readInputResponses({ a: 5 })).toThrow('inputResponses.a must be an object.');
  });
});
