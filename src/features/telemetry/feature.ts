import { builtInSection, type SectionValue } from '../../load/features/built-in-section.ts';
import { defineFeature } from '../../load/features/feature.ts';
import type { OpenFeature } from '../../load/features/open-feature.ts';
import { createCallSpans } from '../../pipeline/call-spans.ts';
import { readVersion } from '../../platform/own-package.ts';
import { createTracing, hasProvider, type Tracing } from '../../platform/telemetry/tracing.ts';
import { compileGlob } from '../../tool/texts/compile-glob.ts';

/** Spans of a board's calls: `telemetry` of board files, or the OpenTelemetry that the process has registered. */
export const telemetry = defineFeature({
  name: 'telemetry',
  sections: { telemetry: builtInSection('telemetry', 'keys') },
  // The process may register its own OpenTelemetry at any time.
  isWanted: () => true,
  open: ({ telemetry: settings }, host) => openTelemetry(settings?.value ?? {}, (value) => host.redact(value)),
});

/** Sends the spans of calls to the collector that the files name, or to the tracer that the process has registered. */
async function openTelemetry(
  { otlp: url, headers = {}, service = 'pegboard', pass_on: passOn = [] }: SectionValue<'telemetry'>,
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
