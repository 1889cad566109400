import type { CallRecorder } from '../../pipeline/call-recorder.ts';
import { type CallSpans, spansOf } from '../../pipeline/call-spans.ts';
import type { ToolHooks } from '../../pipeline/tool-hooks.ts';
import type { Feature } from '../../load/features/feature.ts';
import type { CallLimits } from '../../load/features/open-feature.ts';
import type { BoardFeature } from '../board.ts';
import type { OpenedFeature } from './board-features.ts';

/** The part that features take in the calls of an executor: a record, spans and hooks, always those of the current reading. */
export class FeatureCalls {
  readonly recorder: CallRecorder = {
    begin: (call) => this.#recorder?.begin(call),
    beginRun: (run) => this.#recorder?.beginRun?.(run),
  };
  readonly spans: CallSpans = spansOf(() => this.#spans);
  limits: CallLimits = {};
  #recorder: CallRecorder | undefined;
  #spans: CallSpans | undefined;
  /** Each removes a hook. */
  readonly #hooks: (() => void)[] = [];

  /** Lets these features take part from now on, and no others. */
  follow(features: readonly OpenedFeature[], hooks: ToolHooks): void {
    this.#recorder = features.find(({ open }) => open.recorder !== undefined)?.open.recorder;
    this.#spans = features.find(({ open }) => open.spans !== undefined)?.open.spans;
    this.limits = Object.assign({}, ...features.map(({ open }) => open.limits));
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

/** Returns the API of a feature that every board has. */
export function requireApi<Api>(features: readonly OpenedFeature[], wanted: Feature<Api>): Api {
  const api = findApi(features, wanted);
  if (api === undefined) throw new Error(`The board has no feature "${wanted.name}".`);
  return api;
}
