import type { Tool } from '../../tool/tool.ts';
import { type AgentSource, parseAgent } from '../define/define-agent.ts';
import type { AgentEvent, AgentResult } from './agent-result.ts';
import { type AgentToolOptions, makeAgentTool } from './agent-tool.ts';
import { executeRun, runBelow } from '../runs/execute-run.ts';
import type { AgentInput, RunOptions } from '../define/run-options.ts';

/**
 * Runs an agent to its answer, and returns the answer with everything done for it.
 *
 * Failures of the model or of tools are results with an `outcome`; only misuse throws, such as a missing key.
 * @example
 * const result = await runAgent(helper, 'How much flour is there?', { board });
 * if (result.ok) console.log(result.text);
 */
export async function runAgent(agent: AgentSource, input: AgentInput, options: RunOptions = {}): Promise<AgentResult> {
  return executeRun(parseAgent(agent), input, options);
}

/**
 * Makes a tool of an agent, for a board or for other agents; the agent's tools come from the given board.
 *
 * `approve` is called when the agent's `approval` requires that and the calling run has no `approve` of its own. Default: the
 * board asks.
 */
export function agentAsTool(agent: AgentSource, options: AgentToolOptions = {}): Tool {
  return makeAgentTool(parseAgent(agent), runBelow, options);
}

/** A running agent: iterate over its events, or wait for its result. */
export interface AgentStream extends AsyncIterable<AgentEvent> {
  /**
   * The text of the answer only. When a request is retried, text given before is not repeated; if the new answer differs, it begins on a
   * new line. To discard text already shown, read the events and watch for `retry`.
   */
  readonly text: AsyncIterable<string>;
  /** The end of the run; rejects only for misuse, such as a missing key. */
  readonly result: Promise<AgentResult>;
}

/**
 * Runs an agent and streams its events.
 *
 * Events are queued until they are read; the run does not wait for the reader. Stopping the iteration early does not stop the run: use
 * `signal`.
 * @example
 * const stream = streamAgent(helper, 'How much flour is there?', { board });
 * for await (const piece of stream.text) process.stdout.write(piece);
 */
export function streamAgent(agent: AgentSource, input: AgentInput, options: RunOptions = {}): AgentStream {
  return toStream(
    async (onEvent) => executeRun(parseAgent(agent), input, { ...options, onEvent, isStreamed: true }),
    options,
  );
}

/** Turns a run that reports events into a stream of them. */
export function toStream(
  run: (onEvent: (event: AgentEvent) => void) => Promise<AgentResult>,
  options: Pick<RunOptions, 'onEvent'>,
): AgentStream {
  const queue = new EventQueue();
  const onEvent = (event: AgentEvent): void => {
    queue.push(event);
    options.onEvent?.(event);
  };
  const result = run(onEvent).finally(() => queue.end());
  // The iteration throws the error; until then the promise must not count as unhandled.
  result.catch(() => {});
  return {
    result,
    [Symbol.asyncIterator]: () => queue.read(result),
    text: { [Symbol.asyncIterator]: () => textOf(queue.read(result)) },
  };
}

async function* textOf(events: AsyncIterator<AgentEvent>): AsyncGenerator<string, void> {
  const streamed = new StreamedText();
  for (let next = await events.next(); next.done !== true; next = await events.next()) {
    const text = streamed.take(next.value);
    if (text !== '') yield text;
  }
}

/** Keeps every event for any number of readers, each of which starts at the beginning. */
class EventQueue {
  readonly #events: AgentEvent[] = [];
  #isOver = false;
  #wake = Promise.withResolvers<void>();

  push(event: AgentEvent): void {
    this.#events.push(event);
    this.#notify();
  }

  end(): void {
    this.#isOver = true;
    this.#notify();
  }

  async *read(result: Promise<unknown>): AsyncGenerator<AgentEvent, void> {
    for (let index = 0; ; index++) {
      while (index >= this.#events.length && !this.#isOver) await this.#wake.promise;
      const event = this.#events[index];
      if (event === undefined) break;
      yield event;
    }
    // Throws misuse to the reader of the events.
    await result;
  }

  #notify(): void {
    const { resolve } = this.#wake;
    this.#wake = Promise.withResolvers<void>();
    resolve();
  }
}

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
        return this.#repeated === undefined ? this.#append(event.text) : this.#compare(this.#repeated + event.text);
      default:
        return '';
    }
  }

  #append(text: string): string {
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
