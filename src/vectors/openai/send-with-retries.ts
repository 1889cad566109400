import { isConnectionFailure } from '../../platform/http/explain-failure.ts';
import type { HttpClient } from '../../platform/http/http-client.ts';
import { type HttpOutcome, type HttpRequest, readHeader } from '../../platform/http/http-messages.ts';
import { backoff, type HttpClock, parseRetryAfter } from '../../platform/http/retry-request.ts';
import { sendRequest } from '../../platform/http/send-request.ts';
import { ToolError } from '../../tool/tool-error.ts';

interface SendOptions {
  readonly client: HttpClient;
  readonly clock: HttpClock;
  readonly pace: Pace;
  readonly signal: AbortSignal | undefined;
}

/** Attempts at a server that answers but is busy; callers of the embedder do not retry. */
const ATTEMPTS = 5;
/** Attempts at a server that does not answer: few, so that the caller soon gets an error. */
const CONNECTIONS = 3;
const TIMEOUT = 60_000;
/** For longer delays the caller gets the refusal instead. */
const LONGEST_WAIT = 120_000;
/** 96 vectors of 3,072 numbers take about 6 MB as text. */
const MOST_BYTES = 64 * 1024 * 1024;

/** Sends a request and retries after 429, 5xx and broken connections, with the delay the server asks for. */
export async function sendWithRetries(request: HttpRequest, options: SendOptions): Promise<HttpOutcome> {
  const { client, clock, pace, signal } = options;
  for (let attempt = 1; ; attempt++) {
    await pace.wait(signal);
    let delay = backoff(attempt, clock);
    try {
      const answer = await sendRequest(request, { client, signal, timeout: TIMEOUT, maxBytes: MOST_BYTES });
      const isBusy = answer.status === 429 || answer.status >= 500;
      if (!isBusy || attempt >= ATTEMPTS) return answer;
      delay = parseRetryAfter(readHeader(answer.headers, 'retry-after'), clock.now()) ?? delay;
      if (delay > LONGEST_WAIT) return answer;
    } catch (error) {
      if (signal?.aborted === true || attempt >= CONNECTIONS || !isWorthAnother(error))
        throw explain(error, request.url);
    }
    // Delays all requests, because the others would be refused as well.
    pace.pause(delay);
  }
}

function isWorthAnother(error: unknown): boolean {
  return error instanceof ToolError && isConnectionFailure(error);
}

function explain(error: unknown, url: string): unknown {
  if (!(error instanceof ToolError) || error.code === 'cancelled') return error;
  const message = `The embedder at ${url} does not answer: ${error.message.replace(/ Check (?:that|the host) .*$/, '')} Check that it runs and that url is right.`;
  return new ToolError({ code: error.code === 'timeout' ? 'upstream_unavailable' : error.code, message, cause: error });
}

/** Keeps requests within a server's limits. */
interface Pace {
  /** Runs work when a slot is free. */
  run<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T>;
  /** Waits until the next request may start. */
  wait(signal: AbortSignal | undefined): Promise<void>;
  /** Delays all requests by this many milliseconds, as the server asked. */
  pause(milliseconds: number): void;
}

/** The limits of a server. */
interface PaceOptions {
  readonly concurrency: number;
  readonly perMinute: number;
  readonly clock: HttpClock;
}

const NEVER = new AbortController().signal;

export function createPace({ concurrency, perMinute, clock }: PaceOptions): Pace {
  const line: (() => void)[] = [];
  const gap = 60_000 / perMinute;
  let running = 0;
  let next = 0;
  let pausedUntil = 0;
  return {
    async run(work, signal) {
      if (running >= concurrency) await new Promise<void>((enter) => line.push(enter));
      else running++;
      try {
        signal?.throwIfAborted();
        return await work();
      } finally {
        const enter = line.shift();
        if (enter === undefined) running--;
        else enter();
      }
    },
    async wait(signal) {
      const start = Math.max(clock.now(), next);
      next = start + gap;
      for (let until = Math.max(start, pausedUntil); until > clock.now(); until = Math.max(start, pausedUntil)) {
        await clock.sleep(until - clock.now(), signal ?? NEVER);
      }
    },
    pause(milliseconds) {
      pausedUntil = Math.max(pausedUntil, clock.now() + milliseconds);
    },
  };
}
