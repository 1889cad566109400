import { type AgentSource, parseAgent } from '../define/agent-definition.ts';
import type { AgentEvent } from './agent-event.ts';
import type { AgentResult } from './agent-result.ts';
import { executeRun } from '../runs/execute-run.ts';
import type { AgentInput, RunOptions } from '../define/run-options.ts';
import { StreamedText } from './streamed-text.ts';

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
