import { compileGlob } from '../../tool/texts/compile-glob.ts';
import type { LoadedFile } from '../../load/loaded-file.ts';
import { type CallSpans, createCallSpans } from '../../pipeline/call-spans.ts';
import { readVersion } from '../../platform/own-package.ts';
import type { OtlpTracing } from '../../platform/telemetry/otlp-tracing.ts';
import { createTracing, hasProvider, type Tracing } from '../../platform/telemetry/tracing.ts';
import { isPlainObject } from '../../tool/json.ts';

/** What the files say about spans. */
interface TelemetrySettings {
  /** The collector; none where the process has its own OpenTelemetry. */
  readonly otlp: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly service: string;
  readonly passOn: readonly string[];
}

/** The spans of a board's calls: sent to the collector that its files name, or by what the process has registered. */
export class BoardTelemetry {
  readonly spans: CallSpans;
  readonly #redact: (value: unknown) => unknown;
  #settings: TelemetrySettings;
  #passesTo: (host: string) => boolean;
  #registered: Tracing | undefined;
  #otlp: { readonly by: string; tracing: OtlpTracing | undefined; readonly opened: Promise<OtlpTracing> } | undefined;

  constructor(files: readonly LoadedFile[], redact: (value: unknown) => unknown) {
    this.#redact = redact;
    this.#settings = readTelemetry(files);
    this.#passesTo = toMatcher(this.#settings.passOn);
    this.spans = createCallSpans({ tracing: () => this.tracing, passesTo: (host) => this.#passesTo(host) });
  }

  /** What writes spans now; `undefined` where nothing does. */
  get tracing(): Tracing | undefined {
    if (this.#otlp !== undefined) return this.#otlp.tracing;
    if (!hasProvider()) return undefined;
    return (this.#registered ??= createTracing(undefined, this.#redact));
  }

  /** Loads what sends spans, where the files name a collector. */
  async open(): Promise<void> {
    const { otlp: url, headers, service } = this.#settings;
    const by = JSON.stringify([url, headers, service]);
    if (this.#otlp?.by === by) return;
    const before = this.#otlp;
    this.#otlp = undefined;
    if (url !== undefined) {
      const warn = (message: string): void => process.emitWarning(message, 'PegboardTelemetryWarning');
      const version = readVersion();
      const opened = import('../../platform/telemetry/otlp-tracing.ts').then(({ openOtlpTracing }) =>
        openOtlpTracing({ url, headers, service, version, redact: this.#redact, warn }),
      );
      const otlp = { by, tracing: undefined as OtlpTracing | undefined, opened };
      this.#otlp = otlp;
      otlp.tracing = await opened;
    }
    await (await before?.opened)?.close();
  }

  /** Does from now on what these files say. */
  async follow(files: readonly LoadedFile[]): Promise<void> {
    this.#settings = readTelemetry(files);
    this.#passesTo = toMatcher(this.#settings.passOn);
    await this.open();
  }

  /** Sends what waits. */
  async close(): Promise<void> {
    await (await this.#otlp?.opened)?.close();
  }
}

/** What the files say about spans; of each setting the last one counts. */
function readTelemetry(files: readonly LoadedFile[]): TelemetrySettings {
  const said = Object.assign({}, ...files.map(({ telemetry }) => telemetry ?? {})) as Record<string, unknown>;
  const { otlp, headers, service, pass_on: passOn } = said;
  const texts = isPlainObject(headers) ? Object.entries(headers).map(([name, value]) => [name, String(value)]) : [];
  return {
    otlp: typeof otlp === 'string' ? otlp : undefined,
    headers: Object.fromEntries(texts),
    service: typeof service === 'string' ? service : 'pegboard',
    passOn: Array.isArray(passOn) ? passOn.map(String) : [],
  };
}

function toMatcher(hosts: readonly string[]): (host: string) => boolean {
  const globs = hosts.map((host) => compileGlob(host.toLowerCase()));
  return (host) => globs.some((matches) => matches(host));
}
