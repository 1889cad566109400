import { refusingFirst } from '../../tool/tool-marks.ts';
import type { ToolContext } from '../../tool/tool-context.ts';
import { ToolError } from '../../tool/tool-error.ts';
import { ToolResult } from '../../tool/tool-result.ts';
import type { Tool } from '../../tool/tool.ts';
import { defineTool } from '../../tool/define/define-tool.ts';
import { commandResult, emptyData, refuseCommand } from '../running/command-result.ts';
import { outputSchemaOf } from '../running/run-settings.ts';
import type { DryStep, KindHost } from '../kind.ts';
import { prepareCommand, type ReadyCommand, runCommand, toDryCommand, withProgress } from '../running/run-command.ts';
import { type CommandsSettings, programFolderOf, type RunCommand, type RunEntry } from './commands-settings.ts';
import type { DescribedFiles } from '../running/call-files.ts';
import { fillArgument, fillText, hasValues, isTrue } from './fill-argument.ts';

type Values = Readonly<Record<string, unknown>>;

/** The text of a command that printed nothing. */
const NOTHING = '(no output)';

/** Creates a tool from commands with templates. They run in order until one fails. */
export function runTool(entry: RunEntry, host: KindHost): Tool {
  const refuse = refuseCommand({
    running: entry.settings.running,
    host,
    first: async (values) => {
      const placed = await placeFiles(entry.settings, values, host);
      return prepareRun(entry.settings, placed, host)[0];
    },
  });
  return defineTool({
    ...entry.metadata,
    ...refusingFirst(refuse),
    schema: entry.settings.schema,
    ...outputSchemaOf(entry.settings.running.output),
    execute: async (input, context) => {
      const { files } = entry.settings;
      if (files === undefined)
        return runAll(entry, prepareRun(entry.settings, { values: input }, host), { host, context });
      const { withFiles } = await import('../running/call-files.ts');
      return withFiles({ styles: files, values: input, host }, (placed) =>
        runAll(entry, prepareRun(entry.settings, placed, host), { host, context }),
      );
    },
  });
}

/** Runs commands in order until one fails. */
async function runAll(
  entry: RunEntry,
  commands: readonly ReadyCommand[],
  { host, context }: { readonly host: KindHost; readonly context: ToolContext },
): Promise<ToolResult> {
  const { running } = entry.settings;
  return withProgress(running, context, async (progress) => {
    const texts: string[] = [];
    let last: ToolResult | undefined;
    for (const command of commands) {
      const outcome = await runCommand(command, context, {
        host,
        maxOutput: entry.metadata.maxOutput,
        paths: entry.paths,
        earlier: texts,
        progress,
      });
      // Only the last output becomes data.
      const output = command === commands.at(-1) ? running.output : undefined;
      last = await commandResult(outcome, { ...running, output }, host);
      if (last.failed()) return withEarlier(texts, last);
      if (last.text !== NOTHING) texts.push(last.text.replace(/\n$/, ''));
    }
    if (last === undefined) {
      return ToolResult.from({ text: '(nothing to run: no condition was true)', data: emptyData(running.output) });
    }
    const isAlone = texts.length === (last.text === NOTHING ? 0 : 1);
    return isAlone ? last : ToolResult.from({ text: texts.join('\n'), data: last.data });
  });
}

/** Describes the commands that a call would start. */
export async function dryRunCommands(settings: CommandsSettings, input: Values, host: KindHost): Promise<DryStep[]> {
  const placed = await placeFiles(settings, input, host);
  return prepareRun(settings, placed, host).map((command) => toDryCommand(command, placed.files));
}

/** Returns the values of a call with the files it would write; writes nothing. */
async function placeFiles(settings: CommandsSettings, values: Values, host: KindHost): Promise<DescribedFiles> {
  if (settings.files === undefined) return { values, files: [] };
  const { describeFiles } = await import('../running/call-files.ts');
  return describeFiles(settings.files, values, host);
}

/** Prepares the exact commands of a call, in order, without those whose condition is false. */
function prepareRun(
  settings: CommandsSettings,
  { values: input, folder }: { readonly values: Values; readonly folder?: string | undefined },
  host: KindHost,
): ReadyCommand[] {
  return settings.commands
    .filter(({ when }) => when === undefined || isTrue(when, input))
    .map((command) => {
      const argv = [
        command.cmd,
        ...command.args.flatMap((arg, index) => fillArgument(arg, input, command.args[index - 1]?.text)),
      ];
      const cwd = command.workingDir === undefined ? undefined : fillText(command.workingDir, input, 'workingDir');
      const running = {
        ...settings.running,
        programFolder: programFolderOf(command, settings.running),
        env: { ...settings.running.env, ...fillEnvironment(command, input) },
      };
      return prepareCommand({ argv, cwd, stdin: fillInput(command.stdin, input), folder }, running, host);
    });
}

/** Fills a command's standard input; `undefined` if a value is missing. */
function fillInput(template: string | undefined, input: Values): string | undefined {
  if (template === undefined || !hasValues(template, input)) return undefined;
  return fillText(template, input, 'stdin');
}

function fillEnvironment(command: RunCommand, input: Values): Record<string, string> {
  return Object.fromEntries(
    Object.entries(command.env).map(([name, template]) => [name, fillText(template, input, `env.${name}`)]),
  );
}

/** Adds the output of the commands before the failed one. */
function withEarlier(texts: readonly string[], failed: ToolResult & { readonly error: ToolError }): ToolResult {
  if (texts.length === 0) return failed;
  const { code, recoverable } = failed.error;
  const message = [...texts, failed.text].join('\n');
  return ToolResult.error(new ToolError({ code, message, recoverable, cause: failed.error }));
}
