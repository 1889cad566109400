import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeStore } from '../store-contract.test-helper.ts';
import { openSqliteStore } from './sqlite-store.ts';

let folder: string;
describeStore('sqlite', {
  async open() {
    folder = mkdtempSync(join(tmpdir(), 'pegboard-rag-'));
    return openSqliteStore({ file: join(folder, 'knowledge.db') });
  },
  clean: async () => rmSync(folder, { recursive: true, force: true }),
});
