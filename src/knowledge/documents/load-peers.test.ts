import { expect, it } from 'vitest';
import { loadPeers } from './document-refusal.ts';

it('names every library of a format in one install command', () => {
  expect(loadPeers(['linkedom', '@nowhere/nothing'], 'HTML')).toEqual({
    ok: false,
    reason: 'HTML needs more libraries: npm install linkedom @nowhere/nothing',
  });
});
