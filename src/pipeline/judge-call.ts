import { boundsOf, type CallGuard, type GuardRequest } from '../tool/calls/call-bounds.ts';
import type { ToolError } from '../tool/tool-error.ts';
import { checkInput } from './check-input.ts';
import { copyArguments, freezeArguments, refuseChange } from './final-arguments.ts';
import { type RunningCall, settled, type Steps } from './running-call.ts';
import type { RuledCall } from '../guard/approval/refusals.ts';
import { clientOf } from '../tool/calls/call-owner.ts';
import { riskOfCall } from '../tool/parameters/call-risk.ts';
import type { ToolContext } from '../tool/tool-context.ts';
import type { ToolRisk } from '../tool/tool-metadata.ts';
import type { Tool } from '../tool/tool.ts';
import type { CallAsking } from '../tool/calls/approval.ts';
import type { CallScope } from './call-scope.ts';

const NO_GUARDS: readonly CallGuard[] = Object.freeze([]);

/** The stage in which every guard must agree: the caller's rights, the board's guard, the caller's, and those of the callers above. */
export function judgeCall(call: RunningCall): Steps | undefined {
  if (call.result !== undefined) return undefined;
  const guards = guardsOf(call);
  return guards.length === 0 ? undefined : judgeBy(guards, call);
}

function guardsOf({ plan, scope, args, context }: RunningCall): readonly CallGuard[] {
  const { guard, isGuarded } = plan.host.settings;
  // Hooks cannot change the bounds of a call.
  const wanted = boundsOf(scope.options.context)?.guards ?? NO_GUARDS;
  const rights = plan.hasArgumentRisks && rightsOf(context) !== undefined ? guardRights : undefined;
  // Other guards may ask a person, and a reload may meanwhile give the board's guard something to check.
  const isAlone = wanted.length === 0 && rights === undefined;
  if (isAlone && (guard === undefined || !isGuarded(plan.tool, args))) return NO_GUARDS;
  return [rights, guard, ...wanted].filter((one) => one !== undefined);
}

/**
 * Stores the arguments that all guards agreed to: the original ones, or those that a person edited.
 *
 * A guard may ask a person, so the tool's timeout does not run meanwhile.
 */
function* judgeBy(guards: readonly CallGuard[], call: RunningCall): Steps {
  const { scope, context } = call;
  const { tool, timeout } = call.plan;
  scope.trail?.enter('guard');
  scope.start(Infinity);
  const answers = new Map<unknown, unknown>();
  const { asking, steps, takeRevision } = createAsking(scope);
  let final = copyArguments(call.args);
  for (;;) {
    const refusal = yield* judgeInTurn(guards, {
      tool,
      args: freezeArguments(final),
      context,
      callId: scope.callId,
      signal: scope.signal,
      answers,
      asking,
    });
    if (refusal !== undefined) throw refusal;
    const edited = takeRevision();
    if (edited === undefined) break;
    final = yield* checkEdited(call, edited);
  }
  for (const step of steps) yield step();
  scope.start(scope.options.timeout ?? timeout);
  call.judged = final;
}

/**
 * Runs the guards in order and returns the first error that refuses the call.
 *
 * After a new answer of a person all guards run again, because files and policies may have changed meanwhile. A call passes after a full
 * round without a question.
 */
function* judgeInTurn(guards: readonly CallGuard[], request: GuardRequest): Steps<ToolError | undefined> {
  let known: number;
  do {
    known = request.answers.size;
    for (const guard of guards) {
      const refusal = yield* settled(guard(request));
      if (refusal !== undefined) return refusal;
      // The other guards must judge the edited arguments.
      if (request.asking?.isRevised === true) return undefined;
    }
  } while (request.answers.size > known);
  return undefined;
}

function* checkEdited(
  { plan }: RunningCall,
  edited: Readonly<Record<string, unknown>>,
): Steps<Record<string, unknown>> {
  const { inputLimits, coerce } = plan.host.settings;
  const checked = yield* settled(checkInput(plan.tool, copyArguments(edited), inputLimits, coerce));
  if (!checked.ok) throw refuseChange(plan.tool, checked.issues, 'person');
  return copyArguments(checked.value);
}

type MayCall = (tool: Tool, risk: ToolRisk) => boolean;

interface CallRights {
  readonly who: 'agent' | 'client';
  readonly mayCall: MayCall;
}

/**
 * Refuses a call whose arguments raise its risk above the rights of its caller, an agent or a token. Tools entirely beyond the rights are
 * not found at all, except by tools that call others for the caller.
 */
const guardRights: CallGuard = ({ tool, args, context }) => {
  const rights = rightsOf(context);
  const risk = riskOfCall(tool, args);
  return rights === undefined || rights.mayCall(tool, risk) ? undefined : refuse({ tool, args, risk }, rights);
};

async function refuse(call: RuledCall, { who, mayCall }: CallRights): Promise<ToolError | undefined> {
  const { refuseByRules } = await import('../guard/approval/refusals.ts');
  return refuseByRules(call, (level) =>
    mayCall(call.tool, level) ? undefined : `this ${who} may not make such calls`,
  );
}

/** Returns the rights of the bounds, if any, or those of the client. */
function rightsOf(context: ToolContext): CallRights | undefined {
  const bounds = boundsOf(context);
  if (bounds !== undefined) {
    const { mayCall } = bounds;
    return mayCall === undefined ? undefined : { who: 'agent', mayCall };
  }
  const { mayUse } = clientOf(context);
  if (mayUse === undefined) return undefined;
  return { who: 'client', mayCall: (tool, risk) => !mayUse(tool) || mayUse(tool, risk) };
}

/** Connects guards that ask people with one call, and keeps the changes and steps that they add to it. */
function createAsking(scope: CallScope): {
  readonly asking: CallAsking;
  /** Run in order after all guards have agreed. */
  readonly steps: readonly (() => Promise<void>)[];
  /** Returns the arguments that a person edited since the last time. */
  readonly takeRevision: () => Readonly<Record<string, unknown>> | undefined;
} {
  const { options, host } = scope;
  const { approvals, redactor } = host.settings;
  const steps: (() => Promise<void>)[] = [];
  let revision: Readonly<Record<string, unknown>> | undefined;
  const asking: CallAsking = {
    keeper: approvals,
    options: options.approval ?? {},
    onWait: options.onWait,
    hasKey: options.idempotencyKey !== undefined,
    redact: (value) => redactor().data(value),
    enter: (stage) => scope.trail?.enter(stage),
    note: async (type, facts) => scope.trail?.note?.(type, facts),
    get isRevised() {
      return revision !== undefined;
    },
    revise(args) {
      revision = args;
    },
    beforeRun: (step) => void steps.push(step),
    recordAnswer(approval) {
      scope.answered = scope.answered?.edited === true ? { ...approval, edited: true } : approval;
    },
  };
  const takeRevision = (): typeof revision => {
    const taken = revision;
    revision = undefined;
    return taken;
  };
  return { asking, steps, takeRevision };
}
