import { AnswerCollector } from './answer-collector.ts';
import { toModelReply } from './direct-reply.ts';
import { type DirectRequest, toCallOptions } from './direct-request.ts';
import type { ModelReply, OnDelta } from './model-reply.ts';
import { InterruptedAnswerError } from './retry-model.ts';

/** Asks the provider's model itself, for the whole answer. */
export async function askDirectly(request: DirectRequest): Promise<ModelReply> {
  return toModelReply(await request.model.doGenerate(toCallOptions(request)), request);
}

/** Asks the provider's model itself and tells the answer as it comes. Throws when the stream breaks off. */
export async function streamDirectly(request: DirectRequest, onDelta: OnDelta): Promise<ModelReply> {
  const started = performance.now();
  let timeToFirstChunk: number | undefined;
  const { stream } = await request.model.doStream(toCallOptions(request));
  const answer = new AnswerCollector();
  const reader = stream.getReader();
  // The rest is not read any more, and not every model listens to its signal.
  const stop = (reason: unknown): void => void reader.cancel(reason).catch(() => {});
  request.signal?.addEventListener('abort', stop, { once: true });
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      request.signal?.throwIfAborted();
      request.heard?.();
      const part = next.value;
      if (part.type === 'error') throw part.error;
      if (part.type !== 'stream-start') timeToFirstChunk ??= performance.now() - started;
      answer.add(part);
      if (part.type === 'text-delta' && part.delta !== '') onDelta('text', part.delta);
      else if (part.type === 'reasoning-delta' && part.delta !== '') onDelta('reasoning', part.delta);
    }
  } catch (error) {
    stop(error);
    throw error;
  } finally {
    request.signal?.removeEventListener('abort', stop);
  }
  request.signal?.throwIfAborted();
  const { result } = answer;
  if (result === undefined) throw new InterruptedAnswerError();
  return { ...toModelReply(result, request), ...(timeToFirstChunk === undefined ? {} : { timeToFirstChunk }) };
}
