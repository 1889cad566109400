import type { OpenFeature } from '../../load/features/open-feature.ts';
import { guardInTurn } from '../../load/features/guard-in-turn.ts';
import type { CallGuard, ReserveCall } from '../../tool/calls/call-bounds.ts';
import type { Tool } from '../../tool/tool.ts';
import type { OpenedFeature } from './board-features.ts';
import { reserveInTurn } from './reserve-in-turn.ts';

/** The verdicts of all features on calls. */
export interface FeatureGuards {
  readonly guard: CallGuard;
  /** Reserves resources for calls, where a feature wants that. */
  readonly reserve: ReserveCall | undefined;
  /** True when a guard has anything to judge a call by. */
  isGuarded(tool: Tool, args: unknown): boolean;
  readonly foresee: NonNullable<OpenFeature['foresee']>;
}

/** Joins the guards of features, in their order. */
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
