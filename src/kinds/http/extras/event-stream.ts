import { stripHidden } from '../../../tool/texts/reveal-hidden.ts';
import type { ToolContext } from '../../../tool/tool-context.ts';
import { ToolResult } from '../../../tool/tool-result.ts';
import type { EventOptions } from '../../../platform/http/body-sink.ts';
import type { HttpBody } from '../../../platform/http/http-messages.ts';
import type { ServerEvent } from '../../../platform/http/read-events.ts';
import type { StreamSettings } from '../read-requests.ts';

/** Milliseconds between two reports; events in between are not reported. */
const GAP = 100;
/** The longest reported event, in characters. A longer one is dropped: half of it could contain half a secret. */
const MAX_REPORTED = 1000;

/** Events in the error of a call that was ended. */
const MAX_KEPT = 20;

/**
 * Collects the events of one call and reports them to its caller, at most ten per second. Each event restarts the call's timeout.
 */
export function listenFor({ until, limit, time }: StreamSettings, context: ToolContext): EventOptions {
  let lastReport = 0;
  const received: string[] = [];
  context.keepOnEnd(() => (received.length === 0 ? '' : `Events received:\n${received.join('\n')}`));
  const onEvent = ({ data }: ServerEvent, count: number): void => {
    context.putOffTimeout();
    received.push(data);
    if (received.length > MAX_KEPT) received.shift();
    const now = performance.now();
    if (data.length > MAX_REPORTED || (lastReport > 0 && now - lastReport < GAP)) return;
    lastReport = now;
    context.progress(count, undefined, stripHidden(data).replaceAll(/\s+/g, ' ').trim());
  };
  return { until, limit, time, onEvent };
}

/** Creates the result for the events of a server. */
export function eventsResult({ events, end }: HttpBody & { readonly type: 'events' }): ToolResult {
  const note = explainEnd(end, events.length);
  const shown = events.map(({ event, data, id }) => ({
    ...(event === 'message' ? {} : { event }),
    ...(id === '' ? {} : { id }),
    data: parseData(data),
  }));
  return ToolResult.json({ events: shown, ...(note === undefined ? {} : { note }) });
}

function explainEnd(end: (HttpBody & { readonly type: 'events' })['end'], count: number): string | undefined {
  switch (end) {
    case 'limit':
      return `These are the first ${count} events; further ones were not awaited.`;
    case 'time':
      return `These are the ${count} events that came in time; the server may send more.`;
    case 'broken':
      return `The connection broke after ${count} events.`;
    case 'done':
    case 'closed':
      return undefined;
  }
}

/** Parses objects and lists; other text stays text, because 1.0 or true may not be meant as JSON. */
function parseData(data: string): unknown {
  if (!/^\s*[[{]/.test(data)) return data;
  try {
    return JSON.parse(data);
  } catch {
    return data;
  }
}
