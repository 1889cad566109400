import { loadPeer } from '../../platform/peers/load-peer.ts';
import type { Installed } from '../../tool/installed.ts';
/** @ts-ignore optional peer */
import type * as otel from '@opentelemetry/api';
import { messageOf } from '../../tool/texts/message-of.ts';

type OpenTelemetry = typeof import('@opentelemetry/api');

/** OpenTelemetry's own `Tracer` where it is installed. */
export type Tracer = Installed<otel.Tracer, { startSpan(name: string, options?: never, context?: never): unknown }>;
type Attributes = Installed<otel.Attributes, Readonly<Record<string, unknown>>>;

/** One span while it runs. */
interface RunningSpan {
  /** Adds attributes, made only where spans are written. */
  set(attributes: () => Attributes): void;
  /** Marks it as failed; `type` is a code or a class of errors, never a message with data. */
  fail(type: string, message: string): void;
  /** What spans below it belong to. */
  readonly context: unknown;
}

/** What a span is called, its first attributes and the span above it. */
export interface SpanSpec {
  readonly name: string;
  readonly kind: 'internal' | 'client';
  /** Made only where spans are written. */
  readonly attributes: () => Attributes;
  readonly parent: unknown;
  /** The class of what was thrown. Default: its name. */
  readonly errorType?: (error: unknown) => string;
}

/** Writes OpenTelemetry spans, or nothing where there is no OpenTelemetry. */
export interface Tracing {
  span<T>(spec: SpanSpec, work: (span: RunningSpan) => Promise<T>): Promise<T>;
}

const NO_SPAN: RunningSpan = { set: () => {}, fail: () => {}, context: undefined };
const NO_TRACING: Tracing = { span: (_, work) => work(NO_SPAN) };

/** Spans by this tracer, by the one the process has registered, or none at all; `redact` takes secrets out of what they say. */
export function createTracing(
  tracer: Tracer | false | undefined,
  redact: (value: unknown) => unknown = (value) => value,
): Tracing {
  const api = tracer === false ? undefined : loadApi();
  if (api === undefined || tracer === false) return NO_TRACING;
  const { context: contexts, trace, SpanKind, SpanStatusCode } = api;
  const writer = tracer ?? trace.getTracer('pegboard');
  let isOff = false;
  // Attributes are strings, numbers and lists of them, and so they stay.
  const clean = <T>(value: T): T => redact(value) as T;
  return {
    span(spec, work) {
      if (isOff) return work(NO_SPAN);
      const parent = (spec.parent ?? contexts.active()) as ReturnType<typeof contexts.active>;
      const kind = spec.kind === 'client' ? SpanKind.CLIENT : SpanKind.INTERNAL;
      const span = writer.startSpan(clean(spec.name), { kind, attributes: clean(spec.attributes()) }, parent);
      // No tracer that writes spans is registered: the rest of the run need not make any.
      if (!trace.isSpanContextValid(span.spanContext())) isOff = true;
      if (isOff) return work(NO_SPAN);
      const context = trace.setSpan(parent, span);
      const fail = (type: string, message: string): void => {
        span.setAttribute('error.type', type);
        span.setStatus({ code: SpanStatusCode.ERROR, message: clean(message) });
      };
      return contexts.with(context, async () => {
        try {
          return await work({ set: (more) => void span.setAttributes(clean(more())), fail, context });
        } catch (error) {
          const type = spec.errorType ?? ((thrown) => (thrown instanceof Error ? thrown.name : '_OTHER'));
          fail(type(error), messageOf(error));
          throw error;
        } finally {
          span.end();
        }
      });
    },
  };
}

let loaded: OpenTelemetry | undefined | null = null;

/** Looked for once: whether it is installed does not change while a process runs. */
function loadApi(): OpenTelemetry | undefined {
  if (loaded === null) {
    try {
      loaded = loadPeer('@opentelemetry/api', 'Spans') as OpenTelemetry;
    } catch {
      loaded = undefined;
    }
  }
  return loaded;
}
