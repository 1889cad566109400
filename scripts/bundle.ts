// Bundles our code into a folder: entry points that share chunks.
import { copyFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { type Plugin, rolldown } from 'rolldown';

const root = join(import.meta.dirname, '..');

const entries = {
  index: 'src/index.ts',
  langchain: 'src/langchain.ts',
  'ai-sdk': 'src/ai-sdk.ts',
  mcp: 'src/mcp.ts',
  rag: 'src/rag.ts',
  // Not an entry for people: the thread of the local embedder.
  'embed-worker': 'src/vectors/local/embed-worker.ts',
  agent: 'src/agent.ts',
  code: 'src/code.ts',
  export: 'src/export.ts',
  testing: 'src/testing.ts',
  inspector: 'src/inspector.ts',
};

/** Threads and processes that need little of what the others share, so they share no file with them. */
const threads = {
  'sandbox-worker': 'src/code/sandbox/sandbox-worker.ts',
  'program-reader-worker': 'src/code/check/program-reader-worker.ts',
  'frame-worker': 'src/mcp/client/transports/frame-worker.ts',
  'reader-program': 'src/knowledge/indexing/reading/reader-program.ts',
  'reader-watchdog': 'src/knowledge/indexing/reading/reader-watchdog.ts',
};

/** Processes that attach to a board: each is one file with all that it needs, as it loads nothing else. */
const fronts = {
  'serve-front': 'src/cli/serve-front.ts',
  'command-front': 'src/cli/command-front.ts',
};

/** Modules of Node that are loaded by the first call of one of their functions: each costs every start that does not need it. */
const LATE = new Set([
  'node:child_process',
  'node:crypto',
  'node:dns',
  'node:fs',
  'node:fs/promises',
  'node:http',
  'node:net',
  'node:os',
  'node:sqlite',
  'node:stream/consumers',
  'node:timers/promises',
  'node:util',
]);

/** A module with what a builtin exports: functions and classes load it when they are called or constructed. */
async function writeLate(builtin: string): Promise<string> {
  const load = `process.getBuiltinModule(${JSON.stringify(builtin)})`;
  const exported: Readonly<Record<string, unknown>> = await import(builtin);
  const { default: _, ...named } = exported;
  const parts = Object.entries(named).map(([name, value]) =>
    typeof value === 'function'
      ? `export function ${name}(...values) {
             return new.target === undefined ? ${load}.${name}(...values) : new (${load}.${name})(...values);
           }`
      : `export const ${name} = /* @__PURE__ */ (() => ${load}.${name})();`,
  );
  return [...parts, `export default /* @__PURE__ */ (() => ${load})();`].join('\n');
}

/** Escapes what is not ASCII; outside comments it stands only in texts and regular expressions. */
function escapeOthers(code: string): string {
  return code.replaceAll(/[^\0-\x7F]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** V8 reads a file of ASCII alone as single bytes, which is quicker at every start. */
const ascii: Plugin = {
  name: 'ascii',
  generateBundle(_options, bundle) {
    for (const chunk of Object.values(bundle)) if (chunk.type === 'chunk') chunk.code = escapeOthers(chunk.code);
  },
};

/**
 * Has `import()` load the file that a module is in. Where a file has several modules, the bundler writes one more for each that names the
 * first: to find, read and link it takes as long as many a module runs.
 */
const direct: Plugin = {
  name: 'direct',
  generateBundle(_options, bundle) {
    const chunks = Object.values(bundle).filter((item) => item.type === 'chunk');
    const named = new Map<string, { readonly file: string; readonly names: string }>();
    for (const { fileName, code, isEntry } of chunks) {
      const [, names, target] = /^export \{ ([^}]*) \} from "([^"]+)";\s*$/.exec(code) ?? [];
      if (isEntry || names === undefined || target === undefined) continue;
      const fields = names
        .split(', ')
        .map((name) => name.replace(/^(\S+)(?: as (\S+))?$/, (_, own, as = own) => `${as}: all.${own}`));
      named.set(fileName, { file: posix.join(posix.dirname(fileName), target), names: fields.join(', ') });
    }
    for (const chunk of chunks) {
      const folder = posix.dirname(chunk.fileName);
      chunk.code = chunk.code.replaceAll(/\bimport\("(\.[^"]+)"\)/g, (whole, path: string) => {
        const found = named.get(posix.join(folder, path));
        if (found === undefined) return whole;
        const file = posix.relative(folder, found.file);
        return `import("${file.startsWith('.') ? file : `./${file}`}").then((all) => ({ ${found.names} }))`;
      });
    }
    for (const fileName of named.keys()) delete bundle[fileName];
  },
};

/** Makes shims for modules that are loaded late. */
const late: Plugin = {
  name: 'late-builtins',
  resolveId: (id) => (LATE.has(id) ? { id: `\0late:${id}`, external: false } : undefined),
  load: (id) => (id.startsWith('\0late:') ? writeLate(id.slice('\0late:'.length)) : undefined),
};

/** Leaves the fronts out of the entry that starts them. */
const apart: Plugin = {
  name: 'apart',
  resolveId: (id, importer) => {
    const name = Object.keys(fronts).find((front) => id === `./${front}.ts`);
    const isStart = importer?.endsWith('src/cli/main.ts') === true;
    return name !== undefined && isStart ? { id: `./${name}.js`, external: 'relative' } : undefined;
  },
};

const isPackage = (id: string): boolean => !/^[./\0]/.test(id);

/** Writes the JavaScript of every entry point, and the data it reads, into a folder. */
export async function bundleCode(folder: string): Promise<void> {
  /** The modules that each module imports at load time. */
  const imports = new Map<string, readonly string[]>();

  const bundle = await rolldown({
    cwd: root,
    input: { ...entries, cli: 'src/cli/main.ts' },
    platform: 'node',
    // The grouping below needs it; entries keep exactly their own exports, which a test holds.
    preserveEntrySignatures: 'allow-extension',
    external: (id) => isPackage(id) && !LATE.has(id),
    plugins: [
      {
        name: 'imports',
        buildEnd() {
          for (const id of this.getModuleIds()) imports.set(id, this.getModuleInfo(id)?.importedIds ?? []);
        },
      },
      apart,
      late,
      direct,
      ascii,
    ],
  });

  /** The modules that are loaded with some, directly or not. */
  function closure(files: readonly string[]): Set<string> {
    const found = new Set(files.map((file) => join(root, file)));
    // A file that was moved would be left out without a word, and each start would load what it does not need.
    for (const id of found)
      if (!imports.has(id)) throw new Error(`scripts/bundle.ts names ${id}, which no entry loads. Write its new path.`);
    // A set visits what is added to it on the way.
    for (const id of found) for (const imported of imports.get(id) ?? []) found.add(imported);
    return found;
  }

  /** Makes a test for the modules that some load, directly or not. The graph is known once all modules are read. */
  function loadedBy(...files: readonly string[]): (id: string) => boolean {
    let loaded: ReadonlySet<string> | undefined;
    return (id) => (loaded ??= closure(files)).has(id);
  }

  /** The modules that `import 'pegboard'` loads. */
  const isLibrary = loadedBy('src/index.ts');
  /** The modules that `pegboard list` loads for a board that is only read. */
  const isListing = loadedBy(
    'src/cli/run-command-line.ts',
    'src/cli/commands/list.ts',
    'src/load/diagnostics/diagnostic.ts',
  );
  const isBoard = loadedBy('src/board/open-board.ts', 'src/kinds/cli/cli-tool.ts');
  /** The modules that calls of commands load. */
  const isRunning = loadedBy(
    'src/kinds/cli/cli-call.ts',
    'src/kinds/run/run-tool.ts',
    'src/kinds/running/call-files.ts',
  );
  /** The modules that `pegboard call` loads. */
  const isCalling = loadedBy('src/cli/commands/call/call.ts');
  const isServing = loadedBy(
    'src/features/serving/commands/serve/serve.ts',
    'src/features/serving/commands/serve/serve-board.ts',
    'src/features/serving/commands/serve/serve-settings.ts',
    'src/mcp/server/stdio/serve-stdio.ts',
    // A client waits while the board of a machine starts.
    'src/features/serving/commands/serve/run-shared.ts',
    'src/features/serving/commands/serve/shared-place.ts',
  );
  /** The modules that a board loads for servers that it does not start. */
  const isSleeping = loadedBy('src/cli/shared/board/list-servers.ts', 'src/features/servers/open-servers.ts');
  /** The modules that a board loads for servers that it starts. */
  const isTalking = loadedBy(
    'src/mcp/client/session/open-mcp-session.ts',
    'src/mcp/client/session/call-tool.ts',
    'src/mcp/client/upstream-resources.ts',
  );

  /** The modules of a call of a command. */
  const isOfCall = (id: string): boolean => isRunning(id) || isCalling(id);

  // One file for what is always loaded together, instead of dozens: finding, reading and linking each costs time at every start. Each group
  // has all that it imports in itself or in those above it, so no two files need each other.
  const groups = [
    { name: 'core', test: (id: string) => isLibrary(id) && isListing(id) },
    { name: 'making', test: (id: string) => isLibrary(id) && isSleeping(id) },
    { name: 'library', test: isLibrary },
    { name: 'cli', test: isListing },
    { name: 'servers-of-board', test: (id: string) => isBoard(id) && isSleeping(id) },
    // Else a call of a command would load what serves boards and reaches servers.
    { name: 'servers-of-call', test: (id: string) => isOfCall(id) && isSleeping(id) },
    { name: 'board', test: isBoard },
    { name: 'process', test: (id: string) => isOfCall(id) && (isServing(id) || isTalking(id)) },
    { name: 'protocol', test: (id: string) => isServing(id) && (isSleeping(id) || isTalking(id)) },
    { name: 'serve', test: isServing },
    { name: 'servers', test: isSleeping },
    { name: 'talk', test: isTalking },
    { name: 'running', test: isRunning },
    { name: 'call', test: isCalling },
  ].map((group, index, { length }) => ({ ...group, priority: length - index }));
  await bundle.write({
    dir: folder,
    format: 'esm',
    chunkFileNames: 'chunks/[name]-[hash].js',
    // The declarations have them.
    comments: { jsdoc: false },
    codeSplitting: { includeDependenciesRecursively: false, groups },
  });
  await bundle.close();
  const alone = await rolldown({ cwd: root, input: threads, platform: 'node', external: isPackage, plugins: [ascii] });
  await alone.write({ dir: folder, format: 'esm', comments: { jsdoc: false } });
  await alone.close();
  for (const [name, file] of Object.entries(fronts)) {
    const front = await rolldown({
      cwd: root,
      input: { [name]: file },
      platform: 'node',
      external: (id) => isPackage(id) && !LATE.has(id),
      plugins: [late, ascii],
    });
    await front.write({ dir: folder, format: 'esm', comments: { jsdoc: false } });
    await front.close();
  }
  // Data that is read when first needed; above the chunk that looks for it.
  copyFileSync(join(root, 'src/text/word-meanings.bin'), join(folder, 'word-meanings.bin'));
}
