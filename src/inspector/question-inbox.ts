import { randomUUID } from 'node:crypto';
import type { Elicit, ElicitRequest, ElicitResult } from '../tool/calls/elicitation.ts';
import type { Question } from './api-types.ts';

interface Waiting {
  readonly question: Question;
  readonly settle: (answer: ElicitResult) => void;
}

/** Stores questions of servers until the person at the page answers or the call ends. */
export class QuestionInbox {
  readonly #waiting = new Map<string, Waiting>();
  readonly #changed: () => void;
  #isClosed = false;

  /** `changed` is called when a question is added or removed. */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** Shows a server's question on the page and waits for the answer; the end of the call removes it. */
  readonly ask: Elicit = (request, { tool, source, signal }) => {
    if (this.#isClosed || signal.aborted) return { action: 'cancel' };
    return new Promise((resolve) => {
      const question = toQuestion(request, tool, source);
      const settle = (answer: ElicitResult): void => {
        signal.removeEventListener('abort', cancel);
        this.#waiting.delete(question.id);
        this.#changed();
        resolve(answer);
      };
      const cancel = (): void => settle({ action: 'cancel' });
      signal.addEventListener('abort', cancel, { once: true });
      this.#waiting.set(question.id, { question, settle });
      this.#changed();
    });
  };

  /** Lists the waiting questions, oldest first. */
  list(): Question[] {
    return [...this.#waiting.values()].map(({ question }) => question);
  }

  /** Answers a question; `false` if it has ended. */
  answer(id: string, answer: ElicitResult): boolean {
    const waiting = this.#waiting.get(id);
    waiting?.settle(answer);
    return waiting !== undefined;
  }

  /** Cancels all questions and accepts no more. */
  close(): void {
    this.#isClosed = true;
    for (const { settle } of this.#waiting.values()) settle({ action: 'cancel' });
  }
}

function toQuestion(request: ElicitRequest, tool: string, source: string): Question {
  const common = { id: randomUUID(), tool, source, message: request.message };
  if (request.mode === 'form') return { ...common, mode: 'form', schema: request.requestedSchema };
  // The host as the browser will read it: a name before an @ is not the host.
  return { ...common, mode: 'url', url: request.url, host: URL.parse(request.url)?.host ?? '' };
}
