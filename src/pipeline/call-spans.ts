import { boundsOf } from '../tool/calls/call-bounds.ts';
import { clientOf } from '../tool/calls/call-owner.ts';
import type { OutgoingRequest, StartedRequest } from '../tool/calls/call-runtime.ts';
import { SPAN } from '../tool/tool-context.ts';
import type { ToolResult } from '../tool/tool-result.ts';
import type { SpanAttributes, Tracing } from '../platform/telemetry/tracing.ts';
import type { BegunCall } from './call-recorder.ts';

export interface CallSpans {
  /** The current span writer, if any. */
  readonly tracing: Tracing | undefined;
  /** Starts the span of a call; `undefined` when none are recorded. */
  begin(call: BegunCall): CallSpan | undefined;
}

export interface CallSpan {
  /** The parent for spans below it. */
  readonly context: unknown;
  /** Runs work as the parent of its spans. */
  run<T>(work: () => T): T;
  /** Starts the span of a request that the call sends. */
  request(request: OutgoingRequest): StartedRequest | undefined;
  end(result: ToolResult): void;
}

interface CallSpanOptions {
  /** Returns the current span writer, if any. */
  readonly tracing: () => Tracing | undefined;
  /** Returns true when the trace context is sent to the host of an http tool. */
  readonly passesTo: (host: string) => boolean;
}

/** Creates spans with the names of OpenTelemetry's GenAI and MCP conventions. */
export function createCallSpans({ tracing, passesTo }: CallSpanOptions): CallSpans {
  return {
    get tracing() {
      return tracing();
    },
    begin(call) {
      const writer = tracing();
      if (writer === undefined) return undefined;
      const { context } = call;
      const above = context[SPAN];
      const given = boundsOf(context)?.span;
      const toRequest = (parent: unknown) => (request: OutgoingRequest) =>
        startSpanOf(request, { writer, parent, sendsTrace: request.host === undefined || passesTo(request.host) });
      // An agent already has a span for each of its calls.
      if (given !== undefined && given !== above)
        return { context: given, run: (work) => work(), request: toRequest(given), end: () => {} };
      const client = clientOf(context);
      const clientSpan = above === undefined ? client.span?.() : undefined;
      const remote = clientSpan?.traceparent === undefined ? undefined : writer.remote(clientSpan.traceparent);
      const { tool, callId } = call;
      // An invented name may have any length.
      const name = typeof tool === 'string' ? tool.slice(0, MOST_OF_NAME) : tool.metadata.name;
      const span = writer.start({
        name: `${clientSpan?.method ?? 'execute_tool'} ${typeof tool === 'string' ? '(unknown)' : name}`,
        kind: clientSpan === undefined ? 'internal' : 'server',
        parent: above ?? remote,
        attributes: () => ({
          'gen_ai.operation.name': 'execute_tool',
          'gen_ai.tool.name': name,
          'gen_ai.tool.type': 'function',
          'gen_ai.tool.call.id': callId.slice(0, MOST_OF_ID),
          ...(typeof tool === 'string' ? {} : { 'gen_ai.tool.description': tool.metadata.description }),
          ...(client.user === '' ? {} : { 'enduser.id': client.user }),
          ...clientSpan?.attributes(),
        }),
      });
      return (
        span && {
          context: span.context,
          run: (work) => span.run(work),
          request: toRequest(span.context),
          end(result) {
            if (!result.ok) span.fail(result.error.code, result.error.message);
            span.end();
          },
        }
      );
    },
  };
}

/** Delegates to the current source of spans, because a feature may be replaced while the executor stays. */
export function spansOf(current: () => CallSpans | undefined): CallSpans {
  return {
    get tracing() {
      return current()?.tracing;
    },
    begin: (call) => current()?.begin(call),
  };
}

const MOST_OF_NAME = 128;
const MOST_OF_ID = 200;

interface RequestPlace {
  readonly writer: Tracing;
  readonly parent: unknown;
  /** True when the trace context is sent to the receiver. */
  readonly sendsTrace: boolean;
}

function startSpanOf(
  { name, attributes }: OutgoingRequest,
  { writer, parent, sendsTrace }: RequestPlace,
): StartedRequest | undefined {
  const span = writer.start({ name, kind: 'client', attributes, parent });
  if (span === undefined) return undefined;
  return {
    traceparent: sendsTrace ? span.traceparent : undefined,
    end(outcome, more = {}) {
      span.set((): SpanAttributes => more);
      if (outcome !== 'ok') span.fail(outcome, outcome);
      span.end();
    },
  };
}
