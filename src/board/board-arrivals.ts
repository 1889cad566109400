import { toSentence } from '../kinds/broken.ts';
import { ToolError } from '../tool/tool-error.ts';
import type { Assembly } from './assembly/assemble.ts';
import type { AbsentTools } from './registry/absent-tools.ts';

/** The tools that a board does not have, and those that its features may still bring. */
interface BoardArrivals extends AbsentTools {
  /** Waits for all tools that features may still bring; `retry` asks those again that failed. */
  ready(retry: boolean): Promise<void>;
}

/** Explains and awaits tools that are not on a board, by its current reading. */
export function createArrivals(current: () => Assembly, isThere: (name: string) => boolean): BoardArrivals {
  const arrival: AbsentTools['arrival'] = (name, wish) => {
    const reading = current();
    const wanted = reading.wantedTool(name);
    const pending = reading.features.flatMap(({ open }) => open.pending?.(wanted, wish) ?? []);
    if (pending.length === 0) return undefined;
    // A reload may have put another feature in the place of the one that was asked.
    return Promise.all(pending).then(() => (reading === current() || isThere(name) ? undefined : arrival(name, wish)));
  };
  return {
    arrival,
    explain(name) {
      const reading = current();
      const reason = reading.explainAbsence(name);
      if (reason !== undefined) {
        const error = new ToolError({ code: 'not_found', message: toSentence(reason), toolName: name });
        return { type: 'known', error };
      }
      const wanted = reading.wantedTool(name);
      return reading.features.flatMap(({ open }) => open.explainAbsence?.(wanted) ?? [])[0];
    },
    denial: (name) => current().composed.denied.get(name),
    async ready(retry) {
      for (let reading: Assembly | undefined; reading !== current();) {
        reading = current();
        await Promise.all(reading.features.flatMap(({ open }) => open.ready?.(retry) ?? []));
      }
    },
  };
}
