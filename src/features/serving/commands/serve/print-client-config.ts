import { resolve } from 'node:path';
import { ConfigError } from '../../../../load/diagnostics/diagnostic.ts';
import { loadConfig } from '../../../../load/load-config.ts';
import { askYesOrNo } from '../../../../cli/shared/ask/ask-person.ts';
import { type BoardEntry, boardNameOf, toBoardEntry } from '../../../../cli/shared/clients/board-entry.ts';
import type { ClientEntry } from '../../../../cli/shared/clients/client-entry.ts';
import type { ClientName } from '../../../../cli/shared/clients/client-names.ts';
import { installFile, MCP_CLIENTS, type McpClient, thisMachine } from '../../../../cli/shared/clients/clients.ts';
import { canAsk, type CliContext, printLine, refuse } from '../../../../cli/shared/cli-context.ts';
import type { CommandAnswer } from '../../../../cli/shared/command.ts';
import { findConfig } from '../../../../cli/shared/board/find-config.ts';
import { lookMode } from '../../../../cli/shared/board/trust.ts';
import { UsageError } from '../../../../cli/shared/usage-error.ts';
import { showTokenCommand } from './board-token.ts';
import { formatEntry, planInstall, type PlannedInstall } from './install-config.ts';
import { mergeServeSections, namesTokens, type ServeSection } from './serve-settings.ts';

/** The variable with the token, for clients whose files can name one. */
const TOKEN_VARIABLE = 'PEGBOARD_TOKEN';

interface PrintOptions {
  readonly files: readonly string[];
  readonly install: boolean;
  readonly yes: boolean;
  readonly http: boolean;
  readonly stdio: boolean;
  /** The options of the command that the entry keeps. */
  readonly flags: readonly string[];
  readonly host: string | undefined;
  readonly port: string | undefined;
  readonly token: string | undefined;
  readonly noToken: boolean;
  /** True for a program, which gets the notes on stderr too. */
  readonly json: boolean;
  readonly context: CliContext;
}

/** Returns the board's entry for a client's config, or writes it to the client's file. */
export async function printClientConfig(name: ClientName, options: PrintOptions): Promise<CommandAnswer | number> {
  const { context } = options;
  const client = MCP_CLIENTS[name];
  const files = findConfig(options.files, context).map((file) => resolve(context.cwd, file));
  const { files: loaded, diagnostics } = await loadConfig(files, {
    cwd: context.cwd,
    env: context.env,
    mode: lookMode(files, context),
  });
  if (loaded.length === 0) throw new ConfigError(diagnostics);
  const section = mergeServeSections(loaded);
  // A client that starts such a board would wait on stdout in vain.
  const http = options.http || (section.http === true && !options.stdio);
  if (http && client.takesOnlyCommands === true) {
    const fix = options.http ? 'Omit --http.' : 'Add --stdio.';
    const message = `${client.title} does not support addresses in its config: it starts servers itself. ${fix}`;
    throw new UsageError(message, 'serve');
  }
  const file = installFile(client, thisMachine(context));
  const wantsToken = http && !options.noToken && section.oauth === undefined;
  const needs = http
    ? wantsToken
      ? [TOKEN_VARIABLE]
      : []
    : [...new Set(loaded.flatMap(({ needs: named }) => named))].toSorted();
  const env = needs.map((need) => [need, placeholderFor(client, need)] as const);
  const start = toBoardEntry(files, options.flags);
  const entry = http ? toHttpEntry(client, { ...options, section, wantsToken }) : toStdioEntry(start, env);
  const boardName = boardNameOf(files, loaded);
  const explained = http ? explainToken(client, options, section) : explainNeeds(client, needs, file.path);
  const reminders = [...(http ? [] : start.warnings), ...(needs.length === 0 ? [] : [explained])];
  if (!options.install) {
    if (options.json) for (const reminder of reminders) printLine(context.stderr, reminder);
    const text = await formatEntry(file, { name: boardName, value: client.entry(entry) });
    const notes = [...(context.stderr.isTTY === true ? [`For ${client.title}: ${file.path}`] : []), ...reminders];
    return { data: { client: name, file: file.path, text, needs }, view: text, notes };
  }
  // The person fills in values, so only this user may read the file.
  const isSecret = client.reference === undefined && needs.length > 0;
  const plan = await planInstall(client, file, { name: boardName, entry, folder: context.cwd, isSecret });
  if (!options.yes && !(await askToInstall(plan, { title: client.title, boardName, context })))
    return refuse(context, 'Nothing was written.');
  const copy = plan.write();
  if (options.json) for (const reminder of reminders) printLine(context.stderr, reminder);
  return {
    data: { written: plan.file, needs, ...(copy === undefined ? {} : { backup: copy }) },
    view: `Wrote ${plan.file}${copy === undefined ? '' : ` (before: ${copy})`}. Restart ${client.title} to see the tools.`,
    notes: reminders,
  };
}

async function askToInstall(
  plan: PlannedInstall,
  { title, boardName, context }: { readonly title: string; readonly boardName: string; readonly context: CliContext },
): Promise<boolean> {
  if (!canAsk(context)) {
    throw new UsageError(
      '--install asks before it writes, but there is no terminal to ask at. Add --yes to write without asking.',
      'serve',
    );
  }
  const what = plan.replaces ? `Replace "${boardName}" in` : `Add "${boardName}" to`;
  return askYesOrNo(context, { message: `${what} ${title}'s ${plan.file}?`, initialValue: true });
}

function toStdioEntry(
  { command, args }: Pick<BoardEntry, 'command' | 'args'>,
  env: readonly (readonly [string, string])[],
): ClientEntry {
  return { command, args, ...(env.length === 0 ? {} : { env: Object.fromEntries(env) }) };
}

function toHttpEntry(
  client: McpClient,
  options: PrintOptions & {
    readonly section: ServeSection;
    readonly wantsToken: boolean;
  },
): ClientEntry {
  const { section, wantsToken } = options;
  const { host = reachableHost(section), port = section.port ?? 7331 } = options;
  const url = `http://${host}:${port}${section.path ?? '/mcp'}`;
  if (!wantsToken) return { url };
  return {
    url,
    headers: { Authorization: `Bearer ${placeholderFor(client, TOKEN_VARIABLE)}` },
    tokenVariable: TOKEN_VARIABLE,
  };
}

/** Returns a host that clients can connect to: not an address that stands for all interfaces. */
function reachableHost({ host = '127.0.0.1', allowed_hosts: [named = '127.0.0.1'] = [] }: ServeSection): string {
  return host === '0.0.0.0' || host === '::' ? named : host;
}

function explainToken(client: McpClient, { token, files }: PrintOptions, section: ServeSection): string {
  const value =
    token !== undefined
      ? 'the token you passed'
      : namesTokens(section)
        ? "a token of the board's config"
        : `what "${showTokenCommand(files)}" prints`;
  return `The board requires a token: set ${TOKEN_VARIABLE} in the environment of ${client.title} to ${value}.`;
}

/** Returns a placeholder for the value of a variable. Values are never written, because they may be secrets. */
function placeholderFor({ reference }: McpClient, name: string): string {
  return reference?.(name) ?? `YOUR_${name}`;
}

function explainNeeds(client: McpClient, needs: readonly string[], file: string): string {
  const names = needs.join(', ');
  const them = needs.length === 1 ? 'it' : 'them';
  if (client.reference !== undefined)
    return `The board needs ${names}: set ${them} in the environment of ${client.title}.`;
  const places = needs.map((name) => placeholderFor(client, name)).join(', ');
  return `The board needs ${names}: replace ${places} in ${file} with the value.`;
}
