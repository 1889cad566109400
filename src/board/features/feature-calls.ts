import { spansOf } from '../../pipeline/call-spans.ts';
import type { ExecutorOptions } from '../../pipeline/executor-options.ts';
import type { ToolHooks } from '../../pipeline/tool-hooks.ts';
import type { Feature } from '../../load/features/feature.ts';
import type { OpenFeature } from '../../load/features/open-feature.ts';
import type { BoardFeature } from '../board-core.ts';
import type { OpenedFeature } from './board-features.ts';

type CallKey = 'recorder' | 'spans' | 'approvals' | 'keepOutput' | 'limits';
type CallParts = { readonly [K in CallKey]?: OpenFeature[K] | undefined };

/** The part that features take in the calls of an executor: a record, spans and hooks, always those of the current reading. */
export class FeatureCalls {
  #open: CallParts = {};
  /** Each removes a hook. */
  readonly #hooks: (() => void)[] = [];

  /** Returns the options of an executor that features decide; of the limits, code may set its own. */
  parts({ maxValues, maxModelOutput }: ExecutorOptions): ExecutorOptions {
    const open = (): CallParts => this.#open;
    return {
      maxValues: maxValues ?? (() => open().limits?.maxValues),
      maxModelOutput: maxModelOutput ?? (() => open().limits?.maxModelOutput),
      keepOutput: (text, context) => open().keepOutput?.(text, context),
      recorder: {
        begin: (call) => open().recorder?.begin(call),
        beginRun: (run) => open().recorder?.beginRun?.(run),
      },
      spans: spansOf(() => open().spans),
      approvals: {
        get approve() {
          return open().approvals?.approve;
        },
        ask: async (question) => open().approvals?.ask(question) ?? 'unavailable',
      },
    };
  }

  /** Lets these features take part from now on, and no others. */
  follow(features: readonly OpenedFeature[], hooks: ToolHooks): void {
    const first = <K extends CallKey>(key: K): CallParts[K] =>
      features.find(({ open }) => open[key] !== undefined)?.open[key];
    this.#open = {
      recorder: first('recorder'),
      spans: first('spans'),
      approvals: first('approvals'),
      keepOutput: first('keepOutput'),
      limits: Object.assign({}, ...features.map(({ open }) => open.limits)),
    };
    for (const remove of this.#hooks.splice(0)) remove();
    for (const { open } of features) {
      const { before, after } = open.hooks ?? {};
      if (before !== undefined) this.#hooks.push(hooks.before(before));
      if (after !== undefined) this.#hooks.push(hooks.after(after));
    }
  }
}

/** A feature as the board shows it. */
export function toBoardFeature({ feature, open }: OpenedFeature): BoardFeature {
  return {
    feature,
    api: open.api,
    status: () => open.status?.() ?? [],
    explain: (id) => open.explain?.(id) ?? [],
    doctor: () => open.doctor?.() ?? [],
  };
}

/** Returns the API of a feature among open ones; `undefined` when it is not open. */
export function findApi<Api>(features: readonly OpenedFeature[], wanted: Feature<Api>): Api | undefined {
  // The feature was opened by its own definition.
  return features.find(({ feature }) => feature === wanted)?.open.api as Api | undefined;
}
