import { randomUUID } from 'node:crypto';
import type { Elicit, ElicitRequest, ElicitResult } from '../tool/calls/elicitation.ts';
import type { Question } from './api-types.ts';

interface Waiting {
  readonly question: Question;
  readonly settle: (answer: ElicitResult) => void;
}

/** Keeps what servers ask until the person at the page answers, or the call ends. */
export class QuestionInbox {
  readonly #waiting = new Map<string, Waiting>();
  readonly #changed: () => void;
  #isClosed = false;

  /** `changed` is called when a question comes or goes. */
  constructor(changed: () => void) {
    this.#changed = changed;
  }

  /** Puts a server's question to the page and waits for the answer; a call that ends takes its question along. */
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

  /** The questions that wait, oldest first. */
  list(): Question[] {
    return [...this.#waiting.values()].map(({ question }) => question);
  }

  /** Answers a question; `false` when it is over. */
  answer(id: string, answer: ElicitResult): boolean {
    const waiting = this.#waiting.get(id);
    waiting?.settle(answer);
    return waiting !== undefined;
  }

  /** Cancels every question. From then on none is put to the page. */
  close(): void {
    this.#isClosed = true;
    for (const { settle } of this.#waiting.values()) settle({ action: 'cancel' });
  }
}

function toQuestion(request: ElicitRequest, tool: string, source: string): Question {
  const common = { id: randomUUID(), tool, source, message: request.message };
  if (request.mode === 'form') return { ...common, mode: 'form', schema: request.requestedSchema };
  // The host as the browser will read it: a name before an @ is none.
  return { ...common, mode: 'url', url: request.url, host: URL.parse(request.url)?.host ?? '' };
}
