import { expect, it } from 'vitest';
import { parseChallenge } from './parse-challenge.ts';

it('reads scope, error and metadata address, quoted or not', () => {
  const header = 'Bearer error=insufficient_scope, scope="a b", resource_metadata="https://x.example/.well-known/p"';
  expect(parseChallenge(header)).toEqual({
    error: 'insufficient_scope',
    scope: 'a b',
    resourceMetadata: 'https://x.example/.well-known/p',
  });
});

it('takes a header without anything as no wish', () => {
  expect(parseChallenge(undefined)).toEqual({ error: undefined, scope: undefined, resourceMetadata: undefined });
  expect(parseChallenge('Basic')).toEqual({ error: undefined, scope: undefined, resourceMetadata: undefined });
});
