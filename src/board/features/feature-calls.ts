import { spansOf } from '../../pipeline/call-spans.ts';
import type { ExecutorOptions } from '../../pipeline/executor-options.ts';
import type { ToolHooks } from '../../pipeline/tool-hooks.ts';
import type { Feature } from '../../load/features/feature.ts';
import type { OpenFeature } from '../../load/features/open-feature.ts';
import type { BoardFeature } from '../board-core.ts';
import type { OpenedFeature } from './board-features.ts';
import { type ReserveCall, type SettleCall, type CallGuard, guardInTurn } from '../../tool/calls/call-bounds.ts';
import { ToolError } from '../../tool/tool-error.ts';
import type { Tool } from '../../tool/tool.ts';

type CallKey = 'recorder' | 'spans' | 'approvals' | 'keepOutput' | 'limits';
type CallParts = { readonly [K in CallKey]?: OpenFeature[K] | undefined };

/** Connects features to the calls of an executor: a record, spans and hooks, always those of the current reading. */
export class FeatureCalls {
  #open: CallParts = {};
  /** Each removes a hook. */
  readonly #hooks: (() => void)[] = [];

  /** Returns the options of an executor that features determine; code may set its own limits. */
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

  /** Uses these features from now on, and no others. */
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

/** Converts a feature to its public form. */
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

/** Joins the reservations of several features; when one refuses a call, the earlier ones are settled. */
function reserveInTurn(reservations: readonly ReserveCall[]): ReserveCall | undefined {
  if (reservations.length === 0) return undefined;
  return async (request) => {
    const taken: SettleCall[] = [];
    const settle: SettleCall = async (outcome) => {
      // Settles each one, even after one fails.
      const settled = await Promise.allSettled(taken.map(async (one) => one(outcome)));
      const failed = settled.find(({ status }) => status === 'rejected');
      if (failed?.status === 'rejected') throw failed.reason;
    };
    try {
      for (const reserve of reservations) {
        const outcome = await reserve(request);
        if (outcome instanceof ToolError) {
          await settle({ ok: false });
          return outcome;
        }
        if (outcome !== undefined) taken.push(outcome);
      }
    } catch (thrown) {
      await settle({ ok: false });
      throw thrown;
    }
    return settle;
  };
}

/** The verdicts of all features about calls. */
export interface FeatureGuards {
  readonly guard: CallGuard;
  /** Reserves resources for calls, if a feature needs that. */
  readonly reserve: ReserveCall | undefined;
  /** Returns true when a guard has something to check in a call. */
  isGuarded(tool: Tool, args: unknown): boolean;
  readonly foresee: NonNullable<OpenFeature['foresee']>;
}

/** Joins the guards of features, in order. */
export function joinGuards(features: readonly OpenedFeature[]): FeatureGuards {
  const guarding = features.flatMap(({ open }) => (open.guard === undefined ? [] : [open]));
  const guard = guardInTurn(guarding.flatMap(({ guard: own }) => own ?? []));
  return {
    guard: (request) => {
      for (const { open } of features) open.judging?.(request);
      return guard(request);
    },
    reserve: reserveInTurn(features.flatMap(({ open }) => open.reserve ?? [])),
    isGuarded: (tool, args) => guarding.some((open) => open.isGuarded?.(tool, args) ?? true),
    foresee: (tool, args) => {
      const verdicts = features.flatMap(({ open }) => open.foresee?.(tool, args) ?? []);
      return verdicts.find(({ type }) => type === 'refused') ?? verdicts[0];
    },
  };
}
