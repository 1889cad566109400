import { quoteText } from '../../tool/texts/reveal-hidden.ts';
import { childEnvironment } from '../../platform/process/child-environment.ts';
import { describeOutput } from '../../platform/process/describe-exit.ts';
import { runProcess } from '../../platform/process/run-process.ts';
import type { KindHost } from '../kind.ts';
import type { Confirmation } from './cli-settings.ts';

const MAX_VALUE = 200;

interface Asked {
  readonly args: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

/** Returns a tool's own question, with its variables replaced by the output of their commands. The policy fills in arguments. */
export async function confirmMessage(confirmation: Confirmation, asked: Asked, host: KindHost): Promise<string> {
  let { message } = confirmation;
  for (const [variable, resolver] of Object.entries(confirmation.resolve)) {
    if (!message.includes(`{${variable}}`)) continue;
    const value = await resolveVariable(resolver, asked, host);
    message = message.replaceAll(`{${variable}}`, () => value);
  }
  return message;
}

async function resolveVariable(
  { argv, timeout }: Confirmation['resolve'][string],
  { args, signal }: Asked,
  host: KindHost,
): Promise<string> {
  const filled = argv.map((part) =>
    part.replaceAll(/\{([^{}]+)\}/g, (whole, name: string) => (Object.hasOwn(args, name) ? String(args[name]) : whole)),
  );
  // The call is not approved yet: a value must not become a flag here either.
  if (filled.some((part, index) => part.startsWith('-') && argv[index]?.startsWith('-') !== true)) return '(unknown)';
  const [file = '', ...rest] = filled;
  const leave = await host.processes.enter('', AbortSignal.any([signal, host.closed]));
  const outcome = await runProcess({
    file,
    args: rest,
    env: childEnvironment({ from: host.env }),
    signal: AbortSignal.any([signal, host.closed, AbortSignal.timeout(timeout)]),
    capture: { limit: 4096 },
  }).finally(leave);
  if (outcome.type === 'failed' || outcome.code !== 0) return '(unknown)';
  // On one line and in quotes: braces would be taken for arguments, and foreign words for the question's own.
  const text = describeOutput(outcome.stdout)
    .replaceAll(/[{}\s]+/g, ' ')
    .trim();
  if (/^[\w.,-]+$/.test(text) && text.length <= MAX_VALUE) return text;
  return quoteText(text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}… (${text.length} characters)` : text);
}
