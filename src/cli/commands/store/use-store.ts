import type { BoardStore } from '../../../platform/store/board-store.ts';
import type { StorePlace } from '../../../load/store-place.ts';
import type { CliContext } from '../../cli-context.ts';
import { ConfigError } from '../../../load/diagnostics/diagnostic.ts';
import { findConfig } from '../../board/find-config.ts';
import { lookMode } from '../../board/trust.ts';

/** Opens the store of these files' board, runs the work with it and closes it, also after an error. No tool is made. */
export async function useStore<T>(
  files: readonly string[],
  context: CliContext,
  work: (store: BoardStore, place: StorePlace) => Promise<T>,
): Promise<T> {
  const [{ loadConfig }, { admitStore, findStorePlace }, { openBoardStore }] = await Promise.all([
    import('../../../load/load-config.ts'),
    import('../../../load/store-place.ts'),
    import('../../../platform/store/open-board-store.ts'),
  ]);
  const { cwd, env } = context;
  const named = findConfig(files, context);
  const config = await loadConfig(named, { cwd, env, mode: lookMode(named, context) });
  // A fault in a tool is no reason not to look at the store.
  const faults = config.diagnostics.filter(
    ({ severity, path: [section] }) => severity === 'error' && (section === 'store' || section === 'data'),
  );
  if (faults.length > 0) throw new ConfigError(faults);
  const place = findStorePlace(config.files, { data: undefined, env, cwd });
  admitStore(place);
  const store = openBoardStore(place);
  try {
    return await work(store, place);
  } finally {
    await store.close();
  }
}
