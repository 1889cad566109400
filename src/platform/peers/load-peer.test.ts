import { StructuredTool } from '@langchain/core/tools';
import { expect, test } from 'vitest';
import { loadPeer } from './load-peer.ts';

test('gives the very instance that an import gives', () => {
  expect(loadPeer('@langchain/core/tools', 'x')).toHaveProperty('StructuredTool', StructuredTool);
});

test('names the install command when the library is missing', () => {
  expect(() => loadPeer('@nowhere/nothing/deep', 'toNothing()')).toThrow(
    'toNothing() needs the package "@nowhere/nothing". Install it: npm install @nowhere/nothing',
  );
});
