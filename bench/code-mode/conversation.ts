import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import type { AskedCall } from './tasks.ts';

/** The cost of a task done in one way. */
export interface Cost {
  /** Tokens that each request carries before anything was said. */
  readonly upFront: number;
  readonly tokensIn: number;
  readonly tokensOut: number;
  /** Requests to the model. */
  readonly rounds: number;
  /** Bytes of results that the model read. */
  readonly bytes: number;
  readonly answer: unknown;
}

/** The texts that a model sees before a task, and the function that runs its calls. */
export interface ConversationOptions {
  /** Definitions of tools, and instructions where a way has them: each request carries them. */
  readonly definitions: string;
  readonly prompt: string;
  readonly run: (call: AskedCall) => Promise<string>;
}

/** A conversation with a model whose every request has the definitions and all that was said. */
export class Conversation {
  readonly #definitions: number;
  readonly #run: ConversationOptions['run'];
  #said: number;
  #tokensIn = 0;
  #tokensOut = 0;
  #rounds = 0;
  #bytes = 0;

  constructor({ definitions, prompt, run }: ConversationOptions) {
    this.#definitions = countTokens(definitions);
    this.#said = countTokens(prompt);
    this.#run = run;
  }

  /** The model asks for calls; gives the texts it reads of them. */
  async round(calls: readonly AskedCall[]): Promise<string[]> {
    this.#ask(JSON.stringify(calls));
    const texts = await Promise.all(calls.map((call) => this.#run(call)));
    for (const text of texts) {
      this.#said += countTokens(text);
      this.#bytes += Buffer.byteLength(text);
    }
    return texts;
  }

  /** The model tells the answer. */
  end(answer: unknown): Cost {
    this.#ask(JSON.stringify(answer) ?? '');
    return {
      upFront: this.#definitions,
      tokensIn: this.#tokensIn,
      tokensOut: this.#tokensOut,
      rounds: this.#rounds,
      bytes: this.#bytes,
      answer,
    };
  }

  #ask(reply: string): void {
    this.#rounds++;
    this.#tokensIn += this.#definitions + this.#said;
    const tokens = countTokens(reply);
    this.#tokensOut += tokens;
    this.#said += tokens;
  }
}
