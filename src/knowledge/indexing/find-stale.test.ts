import { expect, it } from 'vitest';
import { loadPeers } from '../documents/document-refusal.ts';
import { messageOf } from '../../tool/texts/message-of.ts';
import { createMemoryStore } from '../stores/sqlite/sqlite-store.ts';
import { findStale } from './find-stale.ts';

it('names the libraries that could read skipped files', async () => {
  const store = createMemoryStore();
  await store.ensureCollection('notes', undefined);
  const lacking = (path: string, ...names: string[]) => {
    let reason = '';
    try {
      loadPeers([...names, '@nowhere/nothing'], 'Word');
    } catch (refusal) {
      reason = messageOf(refusal);
    }
    return { path, reason };
  };
  const skipped = [lacking('a.docx', 'yauzl'), lacking('b.epub', 'linkedom'), { path: 'c.bin', reason: 'is binary' }];
  expect(await findStale(store, 'notes', async () => skipped)).toMatchObject({
    added: [],
    unread: ['a.docx', 'b.epub'],
    missing: ['@nowhere/nothing', 'linkedom', 'yauzl'],
  });
});
