import { loadPeer } from '../peers/load-peer.ts';
import type { Installed } from '../../tool/tool.ts';
/** @ts-ignore optional peer */
import type * as otel from '@opentelemetry/api';
import { messageOf } from '../../tool/texts/message-of.ts';

type OpenTelemetry = typeof import('@opentelemetry/api');

/** OpenTelemetry's own `Tracer` type if it is installed. */
export type Tracer = Installed<otel.Tracer, { startSpan(name: string, options?: never, context?: never): unknown }>;

/** Attributes of a span, with the names of the conventions. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | string[] | undefined>>;

interface RunningSpan {
  /** Adds attributes. The function is called only if spans are recorded. */
  set(attributes: () => SpanAttributes): void;
  /** Marks it as failed. `type` is an error code or class, never a message with data. */
  fail(type: string, message: string): void;
  /** The context for child spans. */
  readonly context: unknown;
}

/** A span that the caller must end. */
interface OpenSpan extends RunningSpan {
  /** Its W3C trace context for other systems. */
  readonly traceparent: string;
  /** Runs work as the parent of its spans. */
  run<T>(work: () => T): T;
  end(): void;
}

export interface SpanSpec {
  readonly name: string;
  readonly kind: 'internal' | 'client' | 'server';
  /** Called only if spans are recorded. */
  readonly attributes: () => SpanAttributes;
  readonly parent: unknown;
  /** Returns the class of a thrown error. Default: its name. */
  readonly errorType?: (error: unknown) => string;
}

/** Records OpenTelemetry spans, or nothing without OpenTelemetry. */
export interface Tracing {
  /** Starts a span; `undefined` when none are recorded. */
  start(spec: Omit<SpanSpec, 'errorType'>): OpenSpan | undefined;
  /** Returns the context for spans that continue another system's trace; `undefined` for an invalid text. */
  remote(traceparent: string): unknown;
}

/** Runs work inside a span. An error marks the span as failed. */
export async function traced<T>(tracing: Tracing, spec: SpanSpec, work: (span: RunningSpan) => Promise<T>): Promise<T> {
  const span = tracing.start(spec);
  if (span === undefined) return work(NO_SPAN);
  return span.run(async () => {
    try {
      return await work(span);
    } catch (error) {
      const type = spec.errorType ?? ((thrown) => (thrown instanceof Error ? thrown.name : '_OTHER'));
      span.fail(type(error), messageOf(error));
      throw error;
    } finally {
      span.end();
    }
  });
}

const NO_SPAN: RunningSpan = { set: () => {}, fail: () => {}, context: undefined };
const NO_TRACING: Tracing = { start: () => undefined, remote: () => undefined };

const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Parses a W3C `traceparent`; `undefined` for anything else. */
export function parseTraceparent(
  text: string,
): { readonly traceId: string; readonly spanId: string; readonly flags: number } | undefined {
  const [, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(text) ?? [];
  if (/^0*$/.test(traceId) || /^0*$/.test(spanId)) return undefined;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
}

export function formatTraceparent(traceId: string, spanId: string, flags: number): string {
  return `00-${traceId}-${spanId}-${flags.toString(16).padStart(2, '0')}`;
}

/** Creates tracing with this tracer, with the one registered in the process, or with none. `redact` removes secrets. */
export function createTracing(
  tracer: Tracer | false | undefined,
  redact: (value: unknown) => unknown = (value) => value,
): Tracing {
  const api = tracer === false || (tracer === undefined && !hasProvider()) ? undefined : loadApi();
  if (api === undefined || tracer === false) return NO_TRACING;
  const { context: contexts, trace, SpanKind, SpanStatusCode, ROOT_CONTEXT } = api;
  const writer = tracer ?? trace.getTracer('pegboard');
  const kinds = { internal: SpanKind.INTERNAL, client: SpanKind.CLIENT, server: SpanKind.SERVER };
  type Context = ReturnType<typeof contexts.active>;
  // Redacting strings, numbers and lists keeps their types.
  const clean = <T>(value: T): T => redact(value) as T;
  return {
    start(spec) {
      const parent = (spec.parent ?? contexts.active()) as Context;
      const attributes = clean(spec.attributes());
      const span = writer.startSpan(clean(spec.name), { kind: kinds[spec.kind], attributes }, parent);
      const { traceId, spanId, traceFlags } = span.spanContext();
      // No tracer that records spans is registered.
      if (!trace.isSpanContextValid(span.spanContext())) return undefined;
      const context = trace.setSpan(parent, span);
      return {
        context,
        traceparent: formatTraceparent(traceId, spanId, traceFlags),
        set: (more) => void span.setAttributes(clean(more())),
        fail(type, message) {
          span.setAttribute('error.type', type);
          span.setStatus({ code: SpanStatusCode.ERROR, message: clean(message) });
        },
        run: (work) => contexts.with(context, work),
        end: () => span.end(),
      };
    },
    remote(traceparent) {
      const parsed = parseTraceparent(traceparent);
      if (parsed === undefined) return undefined;
      const { traceId, spanId, flags } = parsed;
      return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags: flags, isRemote: true });
    },
  };
}

/** The global under which the package registers providers. */
const GLOBAL = Symbol.for('opentelemetry.js.api.1');

/** Returns true when this process has registered a tracer provider. Does not load the package. */
export function hasProvider(): boolean {
  // Any property of the global object may be read.
  const { [GLOBAL]: registered } = globalThis as { [GLOBAL]?: { readonly trace?: unknown } };
  return registered?.trace !== undefined;
}

let loaded: OpenTelemetry | undefined | null = null;

/** Loads the package once: its installation does not change while a process runs. */
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
