import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openBoardStore } from '../../platform/store/open-board-store.ts';
import { readStoreKey, sealStore } from '../../platform/store/sealed-space.ts';
import { readInputResponses, RequestStates } from './request-state.ts';

const STATE = { digest: 'd', caller: 'ada', answers: { name: { action: 'accept' } }, asked: ['colour'], id: 'r' };
const EXPECTED = { digest: 'd', caller: 'ada' };

describe('RequestStates', () => {
  it('opens what it sealed, for the same request of the same caller', async () => {
    const states = new RequestStates({ now: () => 0 });
    expect(await states.open(states.seal(STATE), EXPECTED)).toMatchObject(STATE);
    expect(states.seal(STATE)).not.toBe(states.seal(STATE));
  });

  it('refuses what was changed, comes from elsewhere, is too old or was used', async () => {
    let now = 0;
    const states = new RequestStates({ now: () => now });
    const text = states.seal(STATE);
    const [content = '', signature = ''] = text.split('.');
    const forged = Buffer.from(JSON.stringify({ ...STATE, nonce: 'n', expires: 9e15 })).toString('base64url');
    const wrong = [undefined, 7, '', 'x', `${text}x`, `${forged}.${signature}`, content, `${text}.more`];
    for (const given of wrong)
      await expect(states.open(given, EXPECTED)).rejects.toThrow('was changed or comes from another server');
    await expect(new RequestStates().open(text, EXPECTED)).rejects.toThrow('was changed or comes from another server');
    await expect(states.open(text, { ...EXPECTED, digest: 'e' })).rejects.toThrow('belongs to another request');
    await expect(states.open(text, { ...EXPECTED, caller: 'bob' })).rejects.toThrow('belongs to another caller');
    await states.spend(await states.open(text, EXPECTED));
    await expect(states.open(text, EXPECTED)).rejects.toThrow('was used before');
    const other = states.seal(STATE);
    now = 11 * 60_000;
    await expect(states.open(other, EXPECTED)).rejects.toThrow('is too old');
  });

  it('opens what another server of the board sealed, and lets one of them use it', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'pegboard-states-'));
    const store = openBoardStore({ folder });
    onTestFinished(async () => {
      await store.close();
      rmSync(folder, { recursive: true });
    });
    const open = async (): Promise<Buffer> => readStoreKey({ folder, env: {} });
    const [one, two] = [1, 2].map(() => new RequestStates({ store: () => sealStore(store, { open }) })) as [
      RequestStates,
      RequestStates,
    ];
    await one.load();
    const text = one.seal(STATE);
    const spent = await Promise.allSettled(
      [one, two].map(async (server) => server.spend(await server.open(text, EXPECTED))),
    );
    expect(spent.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected']);
    await expect(two.open(text, EXPECTED)).rejects.toThrow('was used before');
    for (const { value } of await store.space('request-states').entries())
      expect(Object.keys(Object(value))).toEqual(['sealed']);
  });

  it('seals and opens with a key of its own while the store is away', async () => {
    const away = (): never => {
      throw new Error('away');
    };
    const states = new RequestStates({ store: () => ({ space: away }) });
    await states.load();
    const text = states.seal(STATE);
    await states.spend(await states.open(text, EXPECTED));
    await expect(states.open(text, EXPECTED)).rejects.toThrow('was used before');
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
