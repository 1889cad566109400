import { loadPeer } from '../peers/load-peer.ts';
import type { Installed } from '../../tool/installed.ts';
/** @ts-ignore optional peer */
import type * as otel from '@opentelemetry/api';
import { messageOf } from '../../tool/texts/message-of.ts';

type OpenTelemetry = typeof import('@opentelemetry/api');

/** OpenTelemetry's own `Tracer` where it is installed. */
export type Tracer = Installed<otel.Tracer, { startSpan(name: string, options?: never, context?: never): unknown }>;

/** What is said of a span, by the names of the conventions. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | string[] | undefined>>;

/** One span while it runs. */
interface RunningSpan {
  /** Adds attributes, made only where spans are written. */
  set(attributes: () => SpanAttributes): void;
  /** Marks it as failed; `type` is a code or a class of errors, never a message with data. */
  fail(type: string, message: string): void;
  /** What spans below it belong to. */
  readonly context: unknown;
}

/** A span that is ended by hand. */
export interface OpenSpan extends RunningSpan {
  /** How other systems name it (W3C trace context). */
  readonly traceparent: string;
  /** Runs work whose spans belong to it. */
  run<T>(work: () => T): T;
  end(): void;
}

/** What a span is called, its first attributes and the span above it. */
export interface SpanSpec {
  readonly name: string;
  readonly kind: 'internal' | 'client' | 'server';
  /** Made only where spans are written. */
  readonly attributes: () => SpanAttributes;
  readonly parent: unknown;
  /** The class of what was thrown. Default: its name. */
  readonly errorType?: (error: unknown) => string;
}

/** Writes OpenTelemetry spans, or nothing where there is no OpenTelemetry. */
export interface Tracing {
  /** Begins a span; `undefined` where none are written. */
  start(spec: Omit<SpanSpec, 'errorType'>): OpenSpan | undefined;
  /** What spans belong to that go on with a trace of another system; `undefined` for a text that names none. */
  remote(traceparent: string): unknown;
}

/** Runs work inside of a span, which fails with it. */
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

/** The parts of a W3C `traceparent`. */
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Reads a W3C `traceparent`; `undefined` for anything else. */
export function parseTraceparent(
  text: string,
): { readonly traceId: string; readonly spanId: string; readonly flags: number } | undefined {
  const [, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(text) ?? [];
  if (/^0*$/.test(traceId) || /^0*$/.test(spanId)) return undefined;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) };
}

/** Writes a W3C `traceparent`. */
export function formatTraceparent(traceId: string, spanId: string, flags: number): string {
  return `00-${traceId}-${spanId}-${flags.toString(16).padStart(2, '0')}`;
}

/** Spans by this tracer, by the one the process has registered, or none at all; `redact` takes secrets out of what they say. */
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
  // Attributes are strings, numbers and lists of them, and so they stay.
  const clean = <T>(value: T): T => redact(value) as T;
  return {
    start(spec) {
      const parent = (spec.parent ?? contexts.active()) as Context;
      const attributes = clean(spec.attributes());
      const span = writer.startSpan(clean(spec.name), { kind: kinds[spec.kind], attributes }, parent);
      const { traceId, spanId, traceFlags } = span.spanContext();
      // No tracer that writes spans is registered.
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

/** Where the package puts what a program registers. */
const GLOBAL = Symbol.for('opentelemetry.js.api.1');

/** Whether this process has registered what makes spans; asked without loading the package. */
export function hasProvider(): boolean {
  // Any property of the global object may be read.
  const { [GLOBAL]: registered } = globalThis as { [GLOBAL]?: { readonly trace?: unknown } };
  return registered?.trace !== undefined;
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
