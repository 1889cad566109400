import { appendFile, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { OtlpSender, toOtlpAttributes } from '../../../platform/telemetry/otlp-sender.ts';
import { messageOf } from '../../../tool/texts/message-of.ts';
import type { SealedLine } from './audit-chain.ts';
import type { SinkPlace } from '../record-settings.ts';

/** An additional destination for sealed lines, so that lines removed from the store are noticed. */
export interface AuditSink {
  /** Receives lines that the store has; delivers them in the background. */
  write(lines: readonly SealedLine[]): void;
  /** Delivers pending lines. */
  close(): Promise<void>;
}

/** Maximum lines that wait for a file that cannot be written; beyond that, the oldest are dropped and a warning is printed. */
const MOST_WAITING = 20_000;

/** Opens a sink. Calls `warn` once per outage. */
export function openSink(place: SinkPlace, warn: (message: string) => void): AuditSink {
  switch (place.type) {
    case 'file':
      return openFileSink(place.path, warn);
    case 'stderr':
      return { write: (lines) => void process.stderr.write(toText(lines)), close: async () => {} };
    case 'otlp': {
      const { url, headers } = place;
      const sender = new OtlpSender<SealedLine>({ url, headers, toBody: toLogs, warn });
      return { write: (lines) => lines.forEach((line) => sender.add(line)), close: () => sender.close() };
    }
  }
}

function openFileSink(path: string, warn: (message: string) => void): AuditSink {
  let waiting: SealedLine[] = [];
  let writing: Promise<void> = Promise.resolve();
  let hasFailed = false;
  const write = async (): Promise<void> => {
    const lines = waiting;
    waiting = [];
    if (lines.length === 0) return;
    try {
      if (hasFailed) await mkdir(dirname(path), { recursive: true });
      // Opened for each batch, so that a file that was moved away is created again; several processes append to one file.
      await appendFile(path, toText(lines), { mode: 0o600 });
      hasFailed = false;
    } catch (error) {
      if (!hasFailed) warn(`The audit's sink ${path} cannot be written: ${messageOf(error)}`);
      hasFailed = true;
      waiting = [...lines, ...waiting].slice(-MOST_WAITING);
    }
  };
  return {
    write(lines) {
      waiting.push(...lines);
      writing = writing.then(write);
    },
    async close() {
      await writing;
      await write();
    },
  };
}

function toText(lines: readonly SealedLine[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** Converts lines to OTLP log records. */
function toLogs(lines: readonly SealedLine[]): unknown {
  const logRecords = lines.map((line) => {
    const { at, type, call, parent, tool, caller, outcome, body, chain, place, seal } = line;
    return {
      timeUnixNano: `${at}000000`,
      severityNumber: 9,
      severityText: 'INFO',
      eventName: `pegboard.audit.${type}`,
      body: { stringValue: body },
      attributes: toOtlpAttributes({
        'pegboard.call.id': call,
        'pegboard.call.parent': parent,
        'gen_ai.tool.name': tool,
        'enduser.id': caller === '' ? undefined : caller,
        'pegboard.outcome': outcome,
        'pegboard.audit.chain': chain,
        'pegboard.audit.place': place,
        'pegboard.audit.seal': seal,
      }),
    };
  });
  const resource = { attributes: toOtlpAttributes({ 'service.name': 'pegboard' }) };
  return { resourceLogs: [{ resource, scopeLogs: [{ scope: { name: 'pegboard.audit' }, logRecords }] }] };
}
