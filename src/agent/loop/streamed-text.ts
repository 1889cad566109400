import type { AgentEvent } from './agent-event.ts';

/**
 * The answer of one agent as it is streamed, without the repetitions of attempts that were dropped.
 *
 * Text that has been read cannot be taken back. When a provider is asked again, the part of its answer that was told before is left
 * out; where it answers otherwise, the new answer begins on a new line.
 */
export class StreamedText {
  readonly #agent: string | undefined;
  /** Set with the first event, unless a name is given. */
  #main: string | undefined;
  #told = '';
  /** The answer of the attempt that may still repeat what was told; unset in all others. */
  #repeated: string | undefined = undefined;

  /** @param agent Whose answer it is. Default: that of the agent of the first event; agents below it answer calls. */
  constructor(agent?: string) {
    this.#agent = agent;
  }

  /** Takes the next event, and gives the text to tell for it; empty for none. */
  take(event: AgentEvent): string {
    this.#main ??= this.#agent ?? event.agent;
    if (event.agent !== this.#main) return '';
    switch (event.type) {
      case 'step-start':
        this.#told = '';
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
    this.#told += text;
    return text;
  }

  #compare(answer: string): string {
    const told = this.#told;
    if (answer.length < told.length && told.startsWith(answer)) {
      this.#repeated = answer;
      return '';
    }
    this.#repeated = undefined;
    this.#told = answer;
    return answer.startsWith(told) ? answer.slice(told.length) : `\n${answer}`;
  }
}
