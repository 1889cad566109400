import { StructuredTool } from '@langchain/core/tools';
import { expect, test } from 'vitest';
import { loadPeer } from './load-peer.ts';

test('returns the same instance as an import', () => {
  expect(loadPeer('@langchain/core/tools', 'x')).toHaveProperty('StructuredTool', StructuredTool);
});

test('names the install command when the library is missing', () => {
  expect(() => loadPeer('@nowhere/nothing/deep', 'toNothing()')).toThrow(
    'toNothing() needs the package "@nowhere/nothing". Install it: npm install @nowhere/nothing',
  );
});
