import { resolve } from 'node:path';
import { ConfigError } from '../load/diagnostics/diagnostic.ts';
import type { RecordedContents } from '../load/changes/recorded-contents.ts';
import { builtInSection } from '../load/features/built-in-section.ts';
import type { Feature } from '../load/features/feature.ts';
import { mergeSections } from '../load/features/section.ts';
import { loadConfig } from '../load/load-config.ts';
import { definePlugin, isPlugin, type Plugin } from '../load/plugins/define-plugin.ts';
import { parseTool } from '../tool/define/parse-tool.ts';
import { isPlainObject } from '../tool/json.ts';
import { messageOf } from '../tool/texts/message-of.ts';
import { ToolError } from '../tool/tool-error.ts';
import { createAsk } from './ask/create-ask.ts';
import { assemble, type Assembly } from './assembly/assemble.ts';
import { BoardResources } from './board-resources.ts';
import type { BoardSetup } from './board-setup.ts';
import type { OpenBoardOptions } from './open-board-options.ts';

const PROCESSES = { processes: builtInSection('processes', 'keys') };

/** Prepares a board with these files and options; reads nothing yet. */
export function prepareBoard(
  given: readonly string[],
  options: OpenBoardOptions,
  features: readonly Feature[],
): BoardSetup {
  const { mode = 'run', env = process.env, data, kinds, tools = [], plugins = [] } = options;
  return {
    given,
    options,
    features,
    mode,
    env,
    data,
    resources: new BoardResources({ ...options, env }),
    cwd: resolve(options.cwd ?? process.cwd()),
    // Each tool once: an unchanged one stays the same object after a reload.
    tools: [...tools].map((tool) => parseTool(tool)),
    plugins: [...(kinds === undefined ? [] : [definePlugin({ kinds })]), ...plugins.map(checkPlugin)],
    sections: sectionsOf(options),
    ask: createAsk(options),
    kept: { latest: undefined },
  };
}

/** Reads the files of a board, or accepted contents, and everything given in code. Throws a `ConfigError` with all faults. */
export async function readBoard(setup: BoardSetup, contents?: RecordedContents): Promise<Assembly> {
  const { given, options, resources } = setup;
  const { lock, approveChanges } = options;
  try {
    const assembly = await assemble(await loadConfig(given, { ...setup, lock, approveChanges, contents }), setup);
    const { processes } = mergeSections(PROCESSES, assembly.files);
    resources.processes.configure({ ...processes?.value, ...options.processes });
    return assembly;
  } catch (thrown) {
    throw toConfigError(thrown, given);
  }
}

/** Code without types may pass anything. */
function checkPlugin(plugin: Plugin, index: number): Plugin {
  if (isPlugin(plugin)) return plugin;
  const message = `plugins[${index}] is no plugin. Make it with definePlugin({ kinds: […] }).`;
  throw new ToolError({ code: 'invalid_arguments', message });
}

/** Returns the sections of a board file given in code; `undefined` if there are none. */
function sectionsOf({
  policy,
  knowledge,
  mcpServers,
  discoveryTools,
  sections,
}: OpenBoardOptions): BoardSetup['sections'] {
  const named = Object.entries({ policy, rag: knowledge, mcpServers }).filter(([, section]) => section !== undefined);
  const own = sections?.['discovery'];
  const discovery = { ...(isPlainObject(own) ? own : {}), tools: discoveryTools };
  const found = discoveryTools === undefined ? {} : { discovery };
  const given = { ...sections, ...found, ...Object.fromEntries(named) };
  return Object.keys(given).length === 0 ? undefined : given;
}

/** Converts an error from reading files to a fault of these files. */
export function toConfigError(thrown: unknown, files: readonly string[]): ConfigError {
  if (thrown instanceof ConfigError) return thrown;
  const message = `cannot be loaded: ${messageOf(thrown)}`;
  return new ConfigError([{ severity: 'error', file: files.join(', '), path: [], message }]);
}
