import { ToolError } from '../tool/tool-error.ts';
import { type CliContext, gateContext, printJson, printLine } from './shared/cli-context.ts';
import type { Command } from './shared/command.ts';
import { allCommands, CORE_COMMANDS, loadCommand } from './command-line/commands.ts';
import { findCommand, type FoundCommand, parseCommandLine } from './command-line/parse-command-line.ts';
import { wrapText, widthOf } from './shared/print/columns.ts';
import { gateText } from './shared/print/gate-output.ts';
import { printAnswer } from './shared/print/print-answer.ts';
import { createStyle } from './shared/print/style.ts';
import { UsageError } from './shared/usage-error.ts';

/** Runs a command line and returns its exit code: 0, 1 for a failure, 2 for an invalid command line. */
export async function runCli(args: readonly string[], given: CliContext): Promise<number> {
  const context = gateContext(given);
  try {
    return await dispatch(args, context);
  } catch (error) {
    return await reportFailure(error, context, wantsJson(args));
  }
}

/** Returns true when a program reads the answer. */
export function wantsJson(args: readonly string[]): boolean {
  return args.slice(0, args.includes('--') ? args.indexOf('--') : undefined).includes('--json');
}

/** Gates messages that Node prints itself: they may quote texts from elsewhere. */
export function gateNode(node: NodeJS.Process): void {
  const printers = node.listeners('warning');
  node.removeAllListeners('warning');
  node.on('warning', (warning) => {
    warning.message = gateText(warning.message);
    if (warning.stack !== undefined) warning.stack = gateText(warning.stack);
    // Pegboard's own warnings are for the person at the terminal, without Node's advice.
    if (!warning.name.startsWith('Pegboard')) for (const print of printers) print.call(node, warning);
    else if (printers.length > 0)
      printLine(node.stderr, `${createStyle(node.stderr, node.env).yellow('warning')} ${warning.message}`);
  });
  node.on('uncaughtException', (error: unknown) => {
    node.stderr.write(`${gateText(error instanceof Error ? (error.stack ?? error.message) : String(error))}\n`);
    node.exit(1);
  });
}

async function dispatch(args: readonly string[], context: CliContext): Promise<number> {
  // Completion scripts pass the words of an unfinished line.
  if (args[0] === '__complete') {
    const { completeWords } = await import('./commands/completion/complete.ts');
    await completeWords(args.slice(args[1] === '--' ? 2 : 1), context);
    return 0;
  }
  const { stdout, stderr, env } = context;
  const core = findCommand(args, CORE_COMMANDS);
  // Loading the features takes time, so the core's own commands are found without them.
  const commands = core.type === 'command' || core.type === 'version' ? CORE_COMMANDS : await allCommands();
  const found = commands === CORE_COMMANDS ? core : findCommand(args, commands);
  switch (found.type) {
    case 'version': {
      const { readVersion } = await import('../platform/own-package.ts');
      printLine(stdout, readVersion());
      return 0;
    }
    case 'overview': {
      const { formatOverview } = await import('./command-line/help.ts');
      // Without a command, the help is an error message.
      const output = found.isAsked ? stdout : stderr;
      printLine(
        output,
        formatOverview(commands, createStyle(output, env), { word: found.word, width: widthOf(output) }),
      );
      return found.isAsked ? 0 : 2;
    }
    case 'unknown':
    case 'command': {
      const command = await (found.type === 'command'
        ? loadCommand(found.name, found.entry)
        : findPluginCommand(found, context));
      const { values, positionals } = parseCommandLine(command, found.rest);
      if (values['help'] === true) {
        const { formatHelp } = await import('./command-line/help.ts');
        printLine(stdout, formatHelp(command, createStyle(stdout, env), widthOf(stdout)));
        return 0;
      }
      // The parser made a value of the right type for each option.
      const typed = values as Parameters<typeof command.run>[0]['values'];
      const trusting = values['trust'] === true ? { ...context, trustsFound: true } : context;
      const json = values['json'] === true;
      const answer = await command.run({ values: typed, positionals, json, context: trusting });
      return typeof answer === 'number' ? answer : printAnswer(answer, json, trusting);
    }
  }
}

/** Finds a command of the board's plugins. */
async function findPluginCommand(
  { name, refuse }: Extract<FoundCommand, { readonly type: 'unknown' }>,
  context: CliContext,
): Promise<Command> {
  if (!/^[a-z]/.test(name)) throw refuse();
  const { findFeatureCommand } = await import('./command-line/feature-commands.ts');
  const command = await findFeatureCommand(name, context);
  if (command === undefined) throw refuse();
  return command;
}

/** Prints why a command line failed, and returns the exit code. */
export async function reportFailure(error: unknown, context: CliContext, json: boolean): Promise<number> {
  const exitCode = error instanceof UsageError ? 2 : 1;
  const { formatDiagnostic, ConfigError } = await import('../load/diagnostics/diagnostic.ts');
  const diagnostics = error instanceof ConfigError ? error.diagnostics : undefined;
  if (json) {
    const failure = error instanceof ToolError ? error.toJSON() : { message: describeFailure(error) };
    printJson(context, { error: { ...failure, ...(diagnostics === undefined ? {} : { diagnostics }) } });
    return exitCode;
  }
  const { stderr, env } = context;
  const label = createStyle(stderr, env).red('error');
  const faults = diagnostics?.filter(({ severity }) => severity === 'error').map(formatDiagnostic);
  for (const fault of faults ?? [describeFailure(error)]) printLine(stderr, wrapMessage(`${label} ${fault}`, stderr));
  if (error instanceof UsageError) {
    printLine(stderr, `Run "pegboard ${error.command === undefined ? '' : `${error.command} `}--help".`);
  }
  return exitCode;
}

/** Wraps a message to the terminal. Indented lines quote a file or a program and stay as they are. */
function wrapMessage(message: string, output: CliContext['stderr']): string {
  const lines = message.split('\n');
  return lines.flatMap((line) => (/^\s|^\d+ \|/.test(line) ? [line] : wrapText(line, widthOf(output)))).join('\n');
}

/** Returns the message of an expected error, or the stack of a bug to report. */
function describeFailure(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error ? error.message : (error.stack ?? error.message);
}
