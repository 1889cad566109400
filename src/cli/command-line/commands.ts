import type { Command } from './command.ts';

interface CommandEntry {
  /** The heading in the overview. */
  readonly group: string;
  readonly summary: string;
  /** Loads the command when it is run. */
  load(): Promise<Command>;
}

/** All commands, in the order of the help. A new one is a file in commands/ and an entry here. */
export const COMMANDS: Readonly<Record<string, CommandEntry>> = {
  ...inGroup('Start', {
    init: {
      summary: 'Create a first pegboard.yaml',
      load: async () => (await import('../commands/init/init.ts')).init,
    },
    add: {
      summary: 'Add a command, an API, a server or a pack',
      load: async () => (await import('../commands/add/add.ts')).add,
    },
    'import openapi': {
      summary: 'Create http tools from an OpenAPI document',
      load: async () => (await import('../commands/import/import-openapi.ts')).importOpenapi,
    },
    'import cli': {
      summary: "Create cli tools from a command's --help",
      load: async () => (await import('../commands/import/import-cli.ts')).importCli,
    },
    inspect: {
      summary: 'Open the board as a page in a browser',
      load: async () => (await import('../commands/inspect.ts')).inspect,
    },
    docs: {
      summary: 'Print a page of the documentation',
      load: async () => (await import('../commands/docs.ts')).docs,
    },
  }),
  ...inGroup('Tools', {
    list: {
      summary: 'List the tools',
      load: async () => (await import('../commands/list.ts')).list,
    },
    search: {
      summary: 'Find tools by what they do',
      load: async () => (await import('../commands/search.ts')).search,
    },
    show: {
      summary: 'Show everything about a tool',
      load: async () => (await import('../commands/show.ts')).show,
    },
    call: {
      summary: 'Call a tool',
      load: async () => (await import('../commands/call.ts')).call,
    },
    validate: {
      summary: 'Check config files and show every error',
      load: async () => (await import('../commands/validate/validate.ts')).validate,
    },
    prompt: {
      summary: 'Print the tools as text for a system prompt',
      load: async () => (await import('../commands/prompt.ts')).prompt,
    },
    export: {
      summary: "Print the tools in a provider's format",
      load: async () => (await import('../commands/export.ts')).exportCommand,
    },
    tokens: {
      summary: 'Show what the tools cost in a prompt',
      load: async () => (await import('../commands/tokens.ts')).tokens,
    },
    types: {
      summary: 'Print the types that programs see',
      load: async () => (await import('../commands/code/types.ts')).types,
    },
    emit: {
      summary: 'Print a typed module that calls the tools',
      load: async () => (await import('../commands/code/types.ts')).emit,
    },
  }),
  ...inGroup('Servers', {
    'mcp add': {
      summary: 'Add an MCP server to the board',
      load: async () => (await import('../commands/mcp/mcp-add.ts')).mcpAdd,
    },
    'mcp list': {
      summary: 'List the MCP servers of the board',
      load: async () => (await import('../commands/mcp/mcp-list.ts')).mcpList,
    },
    'mcp import': {
      summary: 'Import the MCP servers of other clients',
      load: async () => (await import('../commands/mcp/mcp-import.ts')).mcpImport,
    },
    'mcp remove': {
      summary: 'Remove an MCP server from the board',
      load: async () => (await import('../commands/mcp/mcp-remove.ts')).mcpRemove,
    },
    'mcp update': {
      summary: 'Compare a newer version of a server, then install it',
      load: async () => (await import('../commands/mcp/mcp-update.ts')).mcpUpdate,
    },
    'mcp login': {
      summary: 'Log in to an MCP server',
      load: async () => (await import('../commands/login.ts')).mcpLogin,
    },
    login: {
      summary: 'Log in to an API or an MCP server of the board',
      load: async () => (await import('../commands/login.ts')).login,
    },
    lock: {
      summary: 'Pin every tool, or show what changed',
      load: async () => (await import('../commands/lock.ts')).lock,
    },
    trust: {
      summary: 'Trust a folder, so that read-only commands may run its code',
      load: async () => (await import('../commands/trust.ts')).trust,
    },
    bundle: {
      summary: 'Pack the board into a .mcpb file for hosts',
      load: async () => (await import('../commands/bundle/bundle.ts')).bundle,
    },
    publish: {
      summary: 'Print the entry for the MCP registry',
      load: async () => (await import('../commands/publish/publish.ts')).publish,
    },
  }),
  ...inGroup('Knowledge', {
    'rag index': {
      summary: 'Bring a collection up to date with files',
      load: async () => (await import('../commands/rag/rag-index.ts')).ragIndex,
    },
    'rag search': {
      summary: 'Find passages of a collection',
      load: async () => (await import('../commands/rag/rag-search.ts')).ragSearch,
    },
    'rag store': {
      summary: 'Store a text in a collection',
      load: async () => (await import('../commands/rag/rag-store.ts')).ragStore,
    },
    'rag status': {
      summary: 'Show what the collections contain',
      load: async () => (await import('../commands/rag/rag-status.ts')).ragStatus,
    },
    'rag eval': {
      summary: 'Measure how well searches find passages',
      load: async () => (await import('../commands/rag/eval/rag-eval.ts')).ragEval,
    },
    'rag watch': {
      summary: 'Index files whenever they change',
      load: async () => (await import('../commands/rag/rag-watch.ts')).ragWatch,
    },
    'rag reindex': {
      summary: 'Rebuild a collection, for new settings or another embedder',
      load: async () => (await import('../commands/rag/rag-index.ts')).ragReindex,
    },
    'rag copy': {
      summary: 'Copy collections from one store to another',
      load: async () => (await import('../commands/rag/rag-collections.ts')).ragCopy,
    },
    'rag clear': {
      summary: 'Delete everything in a collection',
      load: async () => (await import('../commands/rag/rag-collections.ts')).ragClear,
    },
  }),
  ...inGroup('Agents', {
    agent: {
      summary: 'Chat with an agent that uses the tools',
      load: async () => (await import('../commands/agent/agent.ts')).agent,
    },
    agents: {
      summary: 'List the agents of the board',
      load: async () => (await import('../commands/agent/agents.ts')).agents,
    },
    'runs list': {
      summary: "List the board's agent runs",
      load: async () => (await import('../commands/runs/runs.ts')).runsList,
    },
    'runs show': {
      summary: 'Show a run with its steps and calls',
      load: async () => (await import('../commands/runs/runs.ts')).runsShow,
    },
    'runs resume': {
      summary: 'Resume a run after a crash or an approval',
      load: async () => (await import('../commands/runs/runs-resume.ts')).runsResume,
    },
    'runs cancel': {
      summary: 'Cancel a run',
      load: async () => (await import('../commands/runs/runs.ts')).runsCancel,
    },
    code: {
      summary: 'Run a program that calls tools',
      load: async () => (await import('../commands/code/code.ts')).code,
    },
    'code list': {
      summary: "List the board's programs",
      load: async () => (await import('../commands/code/kept-programs.ts')).codeList,
    },
    'code show': {
      summary: 'Show a program with its calls',
      load: async () => (await import('../commands/code/kept-programs.ts')).codeShow,
    },
    'code resume': {
      summary: 'Resume a program that waited or was killed',
      load: async () => (await import('../commands/code/code.ts')).codeResume,
    },
    'code save': {
      summary: 'Save a program that worked as a tool of the board',
      load: async () => (await import('../commands/code/code-save.ts')).codeSave,
    },
    'code cancel': {
      summary: 'Cancel a program',
      load: async () => (await import('../commands/code/kept-programs.ts')).codeCancel,
    },
    eval: {
      summary: 'Measure how well searches find tools',
      load: async () => (await import('../commands/eval/eval.ts')).evalCommand,
    },
    enrich: {
      summary: 'Let a model write search queries for the tools',
      load: async () => (await import('../commands/enrich/enrich.ts')).enrich,
    },
    learned: {
      summary: 'List or delete what the board learned from calls',
      load: async () => (await import('../commands/learned.ts')).learned,
    },
  }),
  ...inGroup('Operate', {
    serve: {
      summary: 'Serve the tools to MCP clients',
      load: async () => (await import('../commands/serve/serve.ts')).serve,
    },
    status: {
      summary: 'Show the state of the board and its features',
      load: async () => (await import('../commands/status.ts')).status,
    },
    calls: {
      summary: 'List the calls that the board recorded',
      load: async () => (await import('../commands/calls/calls.ts')).calls,
    },
    'calls show': {
      summary: 'Show one call and where its time went',
      load: async () => (await import('../commands/calls/calls-show.ts')).callsShow,
    },
    'calls replay': {
      summary: 'Make a recorded call again',
      load: async () => (await import('../commands/calls/calls-replay.ts')).callsReplay,
    },
    'calls forget': {
      summary: 'Delete the records of one caller',
      load: async () => (await import('../commands/calls/calls-forget.ts')).callsForget,
    },
    'approvals list': {
      summary: 'List calls that wait for approval',
      load: async () => (await import('../commands/approvals/approvals.ts')).approvalsList,
    },
    'approvals show': {
      summary: 'Show a waiting call, or how it was answered',
      load: async () => (await import('../commands/approvals/approvals.ts')).approvalsShow,
    },
    'approvals allow': {
      summary: 'Approve a waiting call',
      load: async () => (await import('../commands/approvals/approvals-allow.ts')).approvalsAllow,
    },
    'approvals deny': {
      summary: 'Deny a waiting call',
      load: async () => (await import('../commands/approvals/approvals.ts')).approvalsDeny,
    },
    'audit verify': {
      summary: 'Check that the sealed record is unchanged',
      load: async () => (await import('../commands/audit/audit-verify.ts')).auditVerify,
    },
    'audit export': {
      summary: 'Export the record as JSON lines or CSV',
      load: async () => (await import('../commands/audit/audit-export.ts')).auditExport,
    },
    'store status': {
      summary: 'Show where the board stores its data, and how much',
      load: async () => (await import('../commands/store.ts')).storeStatus,
    },
    'store migrate': {
      summary: "Create or update the store's tables",
      load: async () => (await import('../commands/store.ts')).storeMigrate,
    },
    'store copy': {
      summary: 'Copy a store to another place',
      load: async () => (await import('../commands/store.ts')).storeCopy,
    },
    'store vacuum': {
      summary: 'Delete expired data and free space',
      load: async () => (await import('../commands/store.ts')).storeVacuum,
    },
    doctor: {
      summary: 'Check that everything the tools need is there',
      load: async () => (await import('../commands/doctor/doctor.ts')).doctor,
    },
    completion: {
      summary: 'Set up shell completion of commands, tools and arguments',
      load: async () => (await import('../commands/completion/completion.ts')).completion,
    },
    schema: {
      summary: 'Print the JSON Schema of pegboard.yaml',
      load: async () => (await import('../commands/schema.ts')).schema,
    },
  }),
};

function inGroup(
  group: string,
  entries: Readonly<Record<string, Omit<CommandEntry, 'group'>>>,
): Readonly<Record<string, CommandEntry>> {
  return Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, { ...entry, group }]));
}
