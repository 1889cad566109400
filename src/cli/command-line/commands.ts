import { type CommandEntry, inGroup } from '../../load/features/feature-command.ts';
import { type Command, isCommand } from '../shared/command.ts';

/** Commands by their names. */
export type Commands = Readonly<Record<string, CommandEntry>>;

/** The commands of the command line itself. Those of a feature are in its `feature.ts`. */
export const CORE_COMMANDS: Commands = {
  ...inGroup('Start', {
    init: { summary: 'Create a first pegboard.yaml', load: () => import('../commands/init.ts') },
    add: { summary: 'Add a command, an API, a server or a pack', load: () => import('../commands/add/add.ts') },
    'import openapi': {
      summary: 'Create http tools from an OpenAPI document',
      load: () => import('../commands/import/import-openapi.ts'),
    },
    'import cli': {
      summary: "Create cli tools from a command's --help",
      load: () => import('../commands/import/import-cli.ts'),
    },
    inspect: { summary: 'Open the board as a page in a browser', load: () => import('../commands/inspect.ts') },
    docs: { summary: 'Print a page of the documentation', load: () => import('../commands/docs.ts') },
  }),
  ...inGroup('Tools', {
    list: { summary: 'List the tools', load: () => import('../commands/list.ts') },
    show: { summary: 'Show everything about a tool', load: () => import('../commands/show.ts') },
    call: { summary: 'Call a tool', load: () => import('../commands/call/call.ts') },
    validate: {
      summary: 'Check config files and show every error',
      load: () => import('../commands/validate/validate.ts'),
    },
    prompt: { summary: 'Print the tools as text for a system prompt', load: () => import('../commands/prompt.ts') },
    export: { summary: "Print the tools in a provider's format", load: () => import('../commands/export.ts') },
  }),
  ...inGroup('Servers', {
    trust: {
      summary: 'Trust a folder, so that read-only commands may run its code',
      load: () => import('../commands/trust.ts'),
    },
  }),
  ...inGroup('Operate', {
    status: { summary: 'Show the board of this folder, and all that run', load: () => import('../commands/status.ts') },
    'store status': {
      summary: 'Show where the board stores its data, and how much',
      load: () => import('../commands/store.ts'),
    },
    'store migrate': { summary: "Create or update the store's tables", load: () => import('../commands/store.ts') },
    'store copy': { summary: 'Copy a store to another place', load: () => import('../commands/store.ts') },
    'store vacuum': { summary: 'Delete expired data and free space', load: () => import('../commands/store.ts') },
    doctor: {
      summary: 'Check that everything the tools need is there',
      load: () => import('../commands/doctor/doctor.ts'),
    },
    completion: {
      summary: 'Set up shell completion of commands, tools and arguments',
      load: () => import('../commands/completion/completion.ts'),
    },
    schema: { summary: 'Print the JSON Schema of pegboard.yaml', load: () => import('../commands/schema.ts') },
  }),
};

/** The order of the help. Commands that are not named here come last. */
const ORDER = `
  init add import inspect docs
  list search show call validate prompt export tokens types emit
  mcp uninstall login lock trust bundle publish
  rag
  agent agents runs code eval enrich learned
  serve status stop calls approvals audit store doctor completion schema
`
  .trim()
  .split(/\s+/);

/** Returns all commands in the order of the help. Loads the features, which a command of the core may not need. */
export async function allCommands(): Promise<Commands> {
  const { BUILT_IN_FEATURES } = await import('../../features/built-in-features.ts');
  const entries = BUILT_IN_FEATURES.flatMap(({ commands }) => Object.entries(commands));
  return Object.fromEntries(
    [...Object.entries(CORE_COMMANDS), ...entries].toSorted(([a], [b]) => placeOf(a) - placeOf(b)),
  );
}

function placeOf(name: string): number {
  const [first = ''] = name.split(' ', 1);
  const place = ORDER.indexOf(first);
  return place === -1 ? ORDER.length : place;
}

/** Loads a command, which its module exports under any name. */
export async function loadCommand(name: string, entry: CommandEntry): Promise<Command> {
  const loaded = await entry.load();
  const command = [loaded, ...Object.values(loaded)].find((one) => isCommand(one) && one.name === name);
  if (isCommand(command)) return command;
  throw new Error(`The module of the command "${name}" does not export it. Define it there with defineCommand.`);
}
