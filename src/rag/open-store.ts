import { join, resolve } from 'node:path';
import { ToolError } from '../core/tool-error.ts';
import type { PlannedServer } from './knowledge-plan.ts';
import type { VectorStore } from './vector-store.ts';

/** Where stores of this machine are. */
export interface StoreHost {
  /** The folder for what is kept between runs; without it the embedded store is kept in memory. */
  readonly data: string | undefined;
  /** Where relative files start. */
  readonly base: string;
}

/** Opens the store a server's settings describe; its driver is loaded at that moment. */
export async function openStore(server: PlannedServer, { data, base }: StoreHost): Promise<VectorStore> {
  switch (server.driver) {
    case 'memory':
      return (await import('./stores/memory-store.ts')).createMemoryStore();
    case 'sqlite': {
      const { openSqliteStore } = await import('./stores/sqlite/sqlite-store.ts');
      const file = server.url ?? (data === undefined ? ':memory:' : join(data, 'knowledge.db'));
      return openSqliteStore({ file: file === ':memory:' ? file : resolve(base, file) });
    }
    default:
      throw new ToolError({
        code: 'invalid_arguments',
        message: `The driver "${server.driver}" is not part of this version.`,
      });
  }
}
