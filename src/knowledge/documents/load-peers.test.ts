import { expect, it } from 'vitest';
import { DocumentRefusal, loadPeers } from './document-refusal.ts';

it('names every library of a format in one install command', () => {
  const reason = 'HTML needs more libraries: npm install linkedom @nowhere/nothing';
  expect(() => loadPeers(['linkedom', '@nowhere/nothing'], 'HTML')).toThrow(new DocumentRefusal(reason));
});
