import { expect, it } from 'vitest';
import { parseChallenge } from './discover-authorization.ts';

it('reads scope, error and metadata address, quoted or not', () => {
  const header = 'Bearer error=insufficient_scope, scope="a b", resource_metadata="https://x.example/.well-known/p"';
  expect(parseChallenge(header)).toEqual({
    error: 'insufficient_scope',
    scope: 'a b',
    resourceMetadata: 'https://x.example/.well-known/p',
    wantsDpop: false,
  });
});

it('takes a header without anything as no wish', () => {
  const none = { error: undefined, scope: undefined, resourceMetadata: undefined, wantsDpop: false };
  expect(parseChallenge(undefined)).toEqual(none);
  expect(parseChallenge('Basic')).toEqual(none);
});

it.each([
  ['DPoP error="use_dpop_nonce"', true],
  ['Bearer realm="x", DPoP algs="ES256"', true],
  ['Bearer scope="dpop"', false],
])('tells whether %s wants a token that is bound to a key', (header, wanted) => {
  expect(parseChallenge(header).wantsDpop).toBe(wanted);
});
