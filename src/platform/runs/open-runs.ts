import type { SealedStore } from '../store/sealed-space.ts';
import type { BoardRuns } from './board-runs.ts';

/** Opens the runs in a store. Loads the code on first use. */
export function openRuns(store: () => SealedStore): BoardRuns {
  const open = async (): Promise<BoardRuns> => new (await import('./run-store.ts')).RunStore(store());
  return {
    list: async (options) => (await open()).list(options),
    get: async (id) => (await open()).get(id),
    cancel: async (id, options) => (await open()).cancel(id, options),
    open: async (id, start) => (await open()).open(id, start),
    end: async (run, state, end) => (await open()).end(run, state, end),
  };
}
