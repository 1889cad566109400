import { loadConfig } from '../../../load/load-config.ts';
import type { CliContext } from '../../shared/cli-context.ts';
import { alignColumns } from '../../shared/print/columns.ts';
import { defineCommand, FILE_OPTION, FILES_ARGUMENT, flag } from '../../shared/command.ts';
import { checkBoard, checkFaults } from './check-servers.ts';
import {
  checkCommands,
  checkHosts,
  checkLimits,
  checkNode,
  checkOwn,
  checkProcesses,
  checkSandbox,
} from './check-environment.ts';
import { checkKnowledge } from './check-knowledge.ts';
import { checkVariables } from './check-variables.ts';
import { type Check, findNeeds } from './check.ts';
import { findConfig } from '../../shared/board/find-config.ts';
import { lookMode } from '../../shared/board/trust.ts';
import { redactorOf } from '../../shared/board/use-board.ts';
import type { TextStyle } from '../../shared/print/style.ts';

const MAX_TOOLS = 4;

export const doctor = defineCommand({
  name: 'doctor',
  description:
    'Checks everything the tools need: commands and their versions, environment variables, scripts, the sandbox and limits, MCP servers, knowledge stores and models, Node. Also checks pegboard.lock and the texts of the tools.',
  arguments: [FILES_ARGUMENT],
  options: {
    ...FILE_OPTION,
    acknowledge: flag('Acknowledge changes in the tool descriptions of MCP servers'),
    online: flag('Also connect to hosts of http tools and knowledge stores, and start the MCP servers'),
  },
  examples: [
    ['pegboard doctor', 'before you serve the board'],
    ['pegboard doctor --online --json', 'including servers, for a script'],
  ],
  async run({ values, positionals, context }) {
    const checks = await examine([...positionals, ...values.file], values, context);
    const isWell = checks.every(({ status }) => status !== 'missing');
    return {
      data: { ok: isWell, checks },
      view: (style) => describeChecks(checks, style),
      exitCode: isWell ? 0 : 1,
    };
  },
});

async function examine(
  given: readonly string[],
  { online, acknowledge }: { readonly online: boolean; readonly acknowledge: boolean },
  context: CliContext,
): Promise<Check[]> {
  const { cwd, env } = context;
  const named = findConfig(given, context);
  const mode = online ? 'run' : lookMode(named, context);
  const first = await loadConfig(named, { cwd, env, mode });
  const variables = checkVariables(first.files, await findNeeds(first.files, context), context);
  // Files with unset variables do not load: empty values reveal their other needs.
  const unset = variables.filter(({ status }) => status === 'missing').map(({ name }) => [name, '']);
  const { files, diagnostics, plugins } = await loadConfig(named, {
    cwd,
    mode,
    env: { ...env, ...Object.fromEntries(unset) },
  });
  const needs = await findNeeds(files, context);
  const faults = diagnostics.filter(({ severity }) => severity === 'error');
  const checks = [
    checkNode(process.versions.node),
    ...checkFaults(faults),
    ...variables,
    ...(await checkCommands(files, needs, context)),
    ...checkOwn(needs),
    ...(await checkSandbox(needs)),
    ...(await checkLimits(needs)),
    ...(await checkProcesses(files, needs)),
    ...(online ? await checkHosts(files, needs, context) : []),
    ...(await checkKnowledge(files, { online, plugins }, context)),
    ...(faults.length === 0 && unset.length === 0
      ? await checkBoard(files, { names: named, online, mode, acknowledge }, context)
      : []),
  ];
  // Names and addresses in checks may contain secrets.
  return redactorOf({ files }).data(checks);
}

function describeChecks(checks: readonly Check[], style: TextStyle): string[] {
  const marks = { ok: style.green('ok'), warning: style.yellow('warning'), missing: style.red('missing') };
  const rows = checks.map(({ kind, name, status, detail, tools }) => {
    const users = tools.length > MAX_TOOLS ? [...tools.slice(0, MAX_TOOLS), `${tools.length - MAX_TOOLS} more`] : tools;
    const use = users.length === 0 ? '' : style.dim(` (${users.join(', ')})`);
    return [marks[status], kind, style.bold(name), `${detail}${use}`];
  });
  const missing = checks.filter(({ status }) => status === 'missing').length;
  const sum =
    missing === 0
      ? style.green('Everything the tools need is there.')
      : style.red(`${missing} missing. Install or set what is listed above.`);
  return [...alignColumns(rows), '', sum];
}
