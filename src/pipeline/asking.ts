import type { ApprovalKeeper, CallAsking, WaitingQuestion } from '../tool/calls/approval.ts';
import type { AnsweredCall, CallApproval } from '../tool/calls/call-approval.ts';
import type { CallScope } from './call-scope.ts';
import type { CallSettings } from './call-settings.ts';

const NO_OPTIONS: CallApproval = Object.freeze({});

/** Connects guards that ask people with one call, and stores what they leave for it. */
export class Asking implements CallAsking {
  readonly keeper: ApprovalKeeper | undefined;
  /** Run in order after all guards have agreed. */
  readonly steps: (() => Promise<void>)[] = [];
  readonly #scope: CallScope;
  readonly #settings: CallSettings;
  #revision: Readonly<Record<string, unknown>> | undefined;

  constructor(scope: CallScope, settings: CallSettings) {
    this.#scope = scope;
    this.#settings = settings;
    this.keeper = settings.approvals;
  }

  redact(value: unknown): unknown {
    return this.#settings.redactor().data(value);
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

  /** Returns the arguments that a person edited since the last call of this method. */
  takeRevision(): Readonly<Record<string, unknown>> | undefined {
    const revision = this.#revision;
    this.#revision = undefined;
    return revision;
  }

  beforeRun(step: () => Promise<void>): void {
    this.steps.push(step);
  }

  recordAnswer(approval: AnsweredCall): void {
    const before = this.#scope.answered;
    this.#scope.answered = before?.edited === true ? { ...approval, edited: true } : approval;
  }
}
