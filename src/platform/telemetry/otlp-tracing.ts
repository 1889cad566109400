import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { OtlpSender, toOtlpAttributes } from './otlp-sender.ts';
import { formatTraceparent, parseTraceparent, type SpanAttributes, type Tracing } from './tracing.ts';

export interface OtlpTracingOptions {
  /** The collector: `http://127.0.0.1:4318`, or the full address for traces. */
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The `service.name` of the spans. */
  readonly service: string;
  readonly version: string;
  readonly redact: (value: unknown) => unknown;
  readonly warn: (message: string) => void;
}

/** Sends spans to a collector without the OpenTelemetry SDK. */
export interface OtlpTracing extends Tracing {
  /** Number of spans dropped because the collector is too slow or refuses them. */
  readonly dropped: number;
  /** Sends waiting spans. */
  close(): Promise<void>;
}

interface SpanContext {
  readonly traceId: string;
  readonly spanId: string;
}

interface EndedSpan extends SpanContext {
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly kind: number;
  readonly start: bigint;
  readonly end: bigint;
  readonly attributes: SpanAttributes;
  readonly failure: string | undefined;
}

const KINDS = { internal: 1, server: 2, client: 3 } as const;
const SAMPLED = 1;
const FAILED = 2;

/** Starts sending spans to a collector as OTLP/HTTP with JSON. Sends every span: the collector samples. */
export function openOtlpTracing(options: OtlpTracingOptions): OtlpTracing {
  const { headers, service, version, redact, warn } = options;
  const active = new AsyncLocalStorage<SpanContext>();
  const resource = { attributes: toOtlpAttributes({ 'service.name': service, 'service.version': version }) };
  const toBody = (spans: readonly EndedSpan[]): unknown => ({
    resourceSpans: [{ resource, scopeSpans: [{ scope: { name: 'pegboard', version }, spans: spans.map(toOtlp) }] }],
  });
  const sender = new OtlpSender<EndedSpan>({ url: toTracesUrl(options.url), headers, toBody, warn });
  // Redacting strings, numbers and lists keeps their types.
  const clean = <T>(value: T): T => redact(value) as T;
  return {
    get dropped() {
      return sender.dropped;
    },
    start(spec) {
      const parent = toSpanContext(spec.parent) ?? active.getStore();
      const own = { traceId: parent?.traceId ?? randomId(16), spanId: randomId(8) };
      const start = now();
      let attributes = spec.attributes();
      let failure: string | undefined;
      return {
        context: own,
        traceparent: formatTraceparent(own.traceId, own.spanId, SAMPLED),
        set: (more) => (attributes = { ...attributes, ...more() }),
        fail(type, message) {
          attributes = { ...attributes, 'error.type': type };
          failure = message;
        },
        run: (work) => active.run(own, work),
        end() {
          const name = clean(spec.name);
          const ended = { name, attributes: clean(attributes), failure: clean(failure), start, end: now() };
          sender.add({ ...own, ...ended, parentSpanId: parent?.spanId, kind: KINDS[spec.kind] });
        },
      };
    },
    remote: (traceparent) => parseTraceparent(traceparent),
    close: () => sender.close(),
  };
}

/** Reads a context that `start` or `remote` created; contexts of other tracers cannot be parents here. */
function toSpanContext(context: unknown): SpanContext | undefined {
  const { traceId, spanId } = Object(context ?? {}) as Partial<SpanContext>;
  return typeof traceId === 'string' && typeof spanId === 'string' ? { traceId, spanId } : undefined;
}

function toTracesUrl(url: string): string {
  return new URL(url).pathname === '/' ? new URL('/v1/traces', url).href : url;
}

function toOtlp(span: EndedSpan): unknown {
  const { traceId, spanId, parentSpanId, name, kind, start, end, attributes, failure } = span;
  return {
    traceId,
    spanId,
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    name,
    kind,
    startTimeUnixNano: String(start),
    endTimeUnixNano: String(end),
    attributes: toOtlpAttributes(attributes),
    status: failure === undefined ? {} : { code: FAILED, message: failure },
  };
}

function randomId(bytes: number): string {
  return randomBytes(bytes).toString('hex');
}

/** Returns nanoseconds since 1970. */
function now(): bigint {
  return BigInt(Math.round((performance.timeOrigin + performance.now()) * 1_000)) * 1_000n;
}
