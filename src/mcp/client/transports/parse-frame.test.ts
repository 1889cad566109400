import { expect, it } from 'vitest';
import { parseFrame } from './parse-frame.ts';

it('reads messages, and gives nothing for what is none', () => {
  expect(parseFrame('{"id":1}')).toEqual({ id: 1 });
  expect(parseFrame('{"id":')).toBeUndefined();
});

it('refuses what is nested without end, and answers the request that waits for it', () => {
  const deep = `${'['.repeat(300_000)}${']'.repeat(300_000)}`;
  expect(parseFrame(deep)).toBeUndefined();
  expect(parseFrame(`{"jsonrpc":"2.0","id":12,"result":${deep}}`)).toMatchObject({ id: 12, error: { code: -32603 } });
});

it('does not count brackets inside of strings', () => {
  const text = JSON.stringify({ a: '['.repeat(1000), b: `${'\\"['.repeat(500)}\\` });
  expect(parseFrame(text)).toEqual(JSON.parse(text));
});
