import type { AgentEvent } from './agent-event.ts';

/**
 * The streamed answer of one agent, without repetitions from retried requests.
 *
 * Text that has been read cannot be taken back. After a retry, the part of the new answer that repeats earlier text is skipped; if the
 * answer differs, it begins on a new line.
 */
export class StreamedText {
  readonly #agent: string | undefined;
  /** Set with the first event, unless a name is given. */
  #main: string | undefined;
  #streamed = '';
  /** The answer of a retry while it may still repeat earlier text. */
  #repeated: string | undefined = undefined;

  /**
   * @param agent The agent whose answer to stream. Default: the agent of the first event; agents below it answer calls.
   */
  constructor(agent?: string) {
    this.#agent = agent;
  }

  /** Returns the new text of an event, or an empty string. */
  take(event: AgentEvent): string {
    this.#main ??= this.#agent ?? event.agent;
    if (event.agent !== this.#main) return '';
    switch (event.type) {
      case 'step-start':
        this.#streamed = '';
        this.#repeated = undefined;
        return '';
      case 'retry':
        this.#repeated = '';
        return '';
      case 'text':
        return this.#repeated === undefined ? this.#tell(event.text) : this.#compare(this.#repeated + event.text);
      default:
        return '';
    }
  }

  #tell(text: string): string {
    this.#streamed += text;
    return text;
  }

  #compare(answer: string): string {
    const streamed = this.#streamed;
    if (answer.length < streamed.length && streamed.startsWith(answer)) {
      this.#repeated = answer;
      return '';
    }
    this.#repeated = undefined;
    this.#streamed = answer;
    return answer.startsWith(streamed) ? answer.slice(streamed.length) : `\n${answer}`;
  }
}
