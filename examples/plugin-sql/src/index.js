import { definePlugin } from 'pegboard';
import { ollama } from './ollama.js';
import { sql } from './sql.js';
import { openTableStore } from './table-store.js';

export { ollama, openTableStore, sql };

/** The parts that `plugins: [pegboard-sql]` adds to a board. */
export default definePlugin({
  name: 'pegboard-sql',
  kinds: [sql],
  stores: { table: openTableStore },
  exporters: [ollama],
});
