import type { SureRefusal } from '../../tool/tool-marks.ts';
import type { ToolContext } from '../../tool/tool-context.ts';
import type { ToolResult } from '../../tool/tool-result.ts';
import type { DryStep, KindHost } from '../kind.ts';
import { commandResult, refuseCommand } from '../running/command-result.ts';
import {
  decodeContents,
  prepareCommand,
  type ReadyCommand,
  runCommand,
  toDryCommand,
  withProgress,
} from '../running/run-command.ts';
import type { DescribedFiles } from '../running/call-files.ts';
import { buildCommandLine } from './build-argv.ts';
import { type CliEntry, type CliSettings, type Confirmation, filesOf } from './cli-settings.ts';
import { quoteText } from '../../tool/texts/reveal-hidden.ts';
import { childEnvironment } from '../../platform/process/child-environment.ts';
import { describeOutput } from '../../platform/process/describe-exit.ts';
import { runProcess } from '../../platform/process/run-process.ts';

type Values = Readonly<Record<string, unknown>>;

/** Runs the command of a call. */
export async function runCli(
  entry: CliEntry,
  input: Values,
  { context, host }: { readonly context: ToolContext; readonly host: KindHost },
): Promise<ToolResult> {
  const { running, args } = entry.settings;
  const run = async (values: Values, folder?: string): Promise<ToolResult> => {
    const command = prepareCli(entry.settings, { values, folder }, host);
    const { maxOutput } = entry.metadata;
    return withProgress(running, context, async (progress) =>
      commandResult(
        await runCommand(command, context, { host, maxOutput, paths: entry.paths, progress }),
        running,
        host,
      ),
    );
  };
  const styles = filesOf(args);
  if (styles === undefined) return run(input);
  const { withFiles } = await import('../running/call-files.ts');
  return withFiles({ styles, values: input, host }, ({ values, folder }) => run(values, folder));
}

/** Creates a check that reports if the command of a call cannot start. */
export function refuseCli({ settings }: CliEntry, host: KindHost): SureRefusal {
  return refuseCommand({
    running: settings.running,
    host,
    first: async (values) => prepareCli(settings, await placeFiles(settings, values, host), host),
  });
}

/** Describes the command that a call would start. */
export async function dryRunCli({ settings }: CliEntry, input: Values, host: KindHost): Promise<DryStep[]> {
  const placed = await placeFiles(settings, input, host);
  return [toDryCommand(prepareCli(settings, placed, host), placed.files)];
}

/** Returns the values of a call with the files it would write; writes nothing. */
async function placeFiles(settings: CliSettings, values: Values, host: KindHost): Promise<DescribedFiles> {
  const styles = filesOf(settings.args);
  if (styles === undefined) return { values, files: [] };
  const { describeFiles } = await import('../running/call-files.ts');
  return describeFiles(styles, values, host);
}

/** Prepares the exact command of a call. */
function prepareCli(
  settings: CliSettings,
  { values, folder }: { readonly values: Values; readonly folder?: string | undefined },
  host: KindHost,
): ReadyCommand {
  const line = buildCommandLine(settings, values);
  const reader = settings.args.find(({ place }) => place === 'stdin');
  const stdin =
    line.stdin === undefined || reader?.file === undefined
      ? line.stdin
      : decodeContents(line.stdin, reader.file.encoding, reader.name);
  return prepareCommand({ ...line, stdin, folder }, settings.running, host);
}

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
  // On one line and in quotes: otherwise braces would be read as arguments, and foreign words as part of the question.
  const text = describeOutput(outcome.stdout)
    .replaceAll(/[{}\s]+/g, ' ')
    .trim();
  if (/^[\w.,-]+$/.test(text) && text.length <= MAX_VALUE) return text;
  return quoteText(text.length > MAX_VALUE ? `${text.slice(0, MAX_VALUE)}… (${text.length} characters)` : text);
}
