import type { OpenFeature } from '../../load/features/feature.ts';
import { createCallSpans } from '../../pipeline/call-spans.ts';
import { readVersion } from '../../platform/own-package.ts';
import { createTracing, hasProvider, type Tracing } from '../../platform/telemetry/tracing.ts';
import { compileGlob } from '../../tool/texts/compile-glob.ts';

/** The section `telemetry` of board files. */
export interface TelemetrySection {
  /** The collector; none where the process has its own OpenTelemetry. */
  readonly otlp?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly service?: string;
  /** Hosts that requests of http tools pass the trace on to. */
  readonly pass_on?: readonly string[];
}

/** Sends the spans of calls to the collector that the files name, or through what the process has registered. */
export async function openTelemetry(
  { otlp: url, headers = {}, service = 'pegboard', pass_on: passOn = [] }: TelemetrySection,
  redact: (value: unknown) => unknown,
): Promise<OpenFeature<undefined>> {
  const hosts = passOn.map((host) => compileGlob(host.toLowerCase()));
  const passesTo = (host: string): boolean => hosts.some((matches) => matches(host));
  if (url === undefined) {
    let registered: Tracing | undefined;
    const tracing = (): Tracing | undefined =>
      hasProvider() ? (registered ??= createTracing(undefined, redact)) : undefined;
    return { spans: createCallSpans({ tracing, passesTo }) };
  }
  const { openOtlpTracing } = await import('../../platform/telemetry/otlp-tracing.ts');
  const warn = (message: string): void => process.emitWarning(message, 'PegboardTelemetryWarning');
  const otlp = openOtlpTracing({ url, headers, service, version: readVersion(), redact, warn });
  return { spans: createCallSpans({ tracing: () => otlp, passesTo }), close: () => otlp.close() };
}
