import { resolve } from 'node:path';
import { ToolError } from '../../tool/tool-error.ts';
import { parseTool } from '../../tool/define/parse-tool.ts';
import { ConfigError } from '../../load/diagnostics/diagnostic.ts';
import { type ConfigOptions, loadConfig } from '../../load/load-config.ts';
import { builtInSection } from '../../load/features/built-in-section.ts';
import { mergeSections } from '../../load/features/section.ts';
import { definePlugin, isPlugin, type Plugin } from '../../load/plugins/define-plugin.ts';
import type { AssembleOptions } from './assemble-options.ts';
import { createAsk } from '../ask/create-ask.ts';
import { callWithinRights } from '../offers/call-within-rights.ts';
import { assemble, type Assembly } from './assemble.ts';
import type { BoardResources } from '../board-resources.ts';
import type { OpenBoardOptions } from '../open-board-options.ts';
import { isPlainObject } from '../../tool/json.ts';
import { messageOf } from '../../tool/texts/message-of.ts';

const PROCESSES = { processes: builtInSection('processes', 'keys') };

/** Makes the function that reads the files of a board, and all that is given in code, into a new assembly. */
export function createReader(
  files: readonly string[],
  options: OpenBoardOptions,
  resources: BoardResources,
): () => Promise<Assembly> {
  const settings: AssembleOptions & ConfigOptions = {
    env: options.env ?? process.env,
    cwd: resolve(options.cwd ?? process.cwd()),
    data: options.data,
    clients: resources.clients,
    closed: resources.closed,
    kept: { latest: undefined },
    // Each tool once: one that stays is the same object after a reload.
    tools: [...(options.tools ?? [])].map((tool) => parseTool(tool)),
    plugins: [
      ...(options.kinds === undefined ? [] : [definePlugin({ kinds: options.kinds })]),
      ...(options.plugins ?? []).map(checkPlugin),
    ],
    sections: sectionsOf(options),
    outputs: resources.outputs,
    outputFolder: resources.outputFolder,
    processes: resources.processes,
    sealedStore: (place) => resources.sealedStore(place),
    storeUrl: typeof options.store === 'string' ? options.store : undefined,
    secretLists: resources.secretLists,
    board: () => resources.board(),
    call: (...wanted) => callWithinRights(resources.board())(...wanted),
    offers: () => resources.board().offers,
    list: () => resources.board().list,
    mode: options.mode ?? 'run',
    faults: options.faults,
    ask: createAsk(options),
    approveChanges: options.approveChanges,
    lock: options.lock,
    featureOptions: options,
    features: resources.features,
    storeAt: (place, hasFiles) => ({
      get store() {
        return resources.hasOwnPlace(place, hasFiles) ? resources.store(place) : resources.temporaryStore;
      },
      storeKey: () => resources.storeKey(place),
    }),
    changes: () => resources.changes,
    changed: () => resources.changed(),
    emit: (event) => resources.onFeatureEvent(event),
  };
  return async () => {
    try {
      const assembly = await assemble(await loadConfig(files, settings), settings);
      resources.processes.configure({
        ...mergeSections(PROCESSES, assembly.files).processes?.value,
        ...options.processes,
      });
      return assembly;
    } catch (thrown) {
      throw toConfigError(thrown, files);
    }
  };
}

/** Code without types may give anything. */
function checkPlugin(plugin: Plugin, index: number): Plugin {
  if (isPlugin(plugin)) return plugin;
  const message = `plugins[${index}] is no plugin. Make it with definePlugin({ kinds: […] }).`;
  throw new ToolError({ code: 'invalid_arguments', message });
}

/** The sections of a board file that are given in code; `undefined` when there are none. */
function sectionsOf({
  policy,
  knowledge,
  mcpServers,
  discoveryTools,
  sections,
}: OpenBoardOptions): ConfigOptions['sections'] {
  const named = Object.entries({ policy, rag: knowledge, mcpServers }).filter(([, section]) => section !== undefined);
  const own = sections?.['discovery'];
  const discovery = { ...(isPlainObject(own) ? own : {}), tools: discoveryTools };
  const found = discoveryTools === undefined ? {} : { discovery };
  const given = { ...sections, ...found, ...Object.fromEntries(named) };
  return Object.keys(given).length === 0 ? undefined : given;
}

/** An error while files are read is a fault of theirs, and told as one. */
export function toConfigError(thrown: unknown, files: readonly string[]): ConfigError {
  if (thrown instanceof ConfigError) return thrown;
  const message = `cannot be loaded: ${messageOf(thrown)}`;
  return new ConfigError([{ severity: 'error', file: files.join(', '), path: [], message }]);
}
