import type { ApprovalKeeper, CallAsking, WaitingQuestion } from '../tool/calls/approval.ts';
import type { AnsweredCall, CallApproval } from '../tool/calls/call-approval.ts';
import type { CallScope } from './call-scope.ts';

const NO_OPTIONS: CallApproval = Object.freeze({});

/** What one call lends guards that ask people, and what they leave behind for it. */
export class Asking implements CallAsking {
  readonly keeper: ApprovalKeeper | undefined;
  /** What is done when all guards have agreed. */
  readonly steps: (() => Promise<void>)[] = [];
  readonly #scope: CallScope;
  #revision: Readonly<Record<string, unknown>> | undefined;

  constructor(scope: CallScope, keeper: ApprovalKeeper | undefined) {
    this.#scope = scope;
    this.keeper = keeper;
  }

  get options(): CallApproval {
    return this.#scope.options.approval ?? NO_OPTIONS;
  }

  get onWait(): ((question: WaitingQuestion) => void) | undefined {
    return this.#scope.options.onWait;
  }

  get hasKey(): boolean {
    return this.#scope.options.idempotencyKey !== undefined;
  }

  enter(stage: 'guard' | 'person'): void {
    this.#scope.trail?.enter(stage);
  }

  async note(type: 'waiting' | 'answered', facts: Readonly<Record<string, unknown>>): Promise<void> {
    await this.#scope.trail?.note?.(type, facts);
  }

  get isRevised(): boolean {
    return this.#revision !== undefined;
  }

  revise(args: Readonly<Record<string, unknown>>): void {
    this.#revision = args;
  }

  /** What a person made of the arguments since it was last asked for. */
  takeRevision(): Readonly<Record<string, unknown>> | undefined {
    const revision = this.#revision;
    this.#revision = undefined;
    return revision;
  }

  beforeRun(step: () => Promise<void>): void {
    this.steps.push(step);
  }

  tell(approval: AnsweredCall): void {
    const before = this.#scope.answered;
    this.#scope.answered = before?.edited === true ? { ...approval, edited: true } : approval;
  }

  /** Takes the steps, one after the other. */
  async finish(): Promise<void> {
    for (const step of this.steps) await step();
  }
}
