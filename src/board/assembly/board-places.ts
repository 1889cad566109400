import { dirname, join, resolve } from 'node:path';
import type { DryVerdict } from '../../guard/approval/guard.ts';
import { type BoardPlaces, checkPlaces } from '../../guard/policy/board-places.ts';
import { cannotHoldPath } from '../../guard/policy/cannot-hold-path.ts';
import { schemaPaths } from '../../tool/parameters/marked-arguments.ts';
import { NO_PATHS, type ToolPaths } from '../../guard/policy/tool-paths.ts';
import type { LockPlace } from '../../guard/lock/lock-place.ts';
import { programFiles } from '../../kinds/running/program-files.ts';
import { stateFolder } from '../../load/data-folder.ts';
import type { LoadedConfig } from '../../load/load-config.ts';
import type { LoadedFile } from '../../load/loaded-file.ts';
import { expandHome } from '../../load/variables/expand-home.ts';
import { queriesFileOf } from '../../load/queries/queries-file.ts';
import type { CallGuard } from '../../tool/calls/call-bounds.ts';
import { riskOfCall } from '../../tool/parameters/call-risk.ts';
import { explainIssues, formatPath } from '../../tool/texts/explain-issues.ts';
import { isDiscoveryTool, isHelperTool } from '../../tool/tool-marks.ts';
import { ToolError, type ToolIssue } from '../../tool/tool-error.ts';
import type { Tool } from '../../tool/tool.ts';
import { pathsOf, type ToolOrigins } from './paths-of.ts';

/** The parts of a board that decide which places tools keep away from. */
interface PlaceParts {
  readonly config: LoadedConfig;
  readonly origins: ToolOrigins;
  readonly lock: LockPlace;
  readonly skills: readonly string[];
  readonly outputFolder: string;
  readonly cwd: string;
  /** The servers that this board starts. */
  readonly servers: readonly { readonly command: readonly string[]; readonly cwd: string }[];
}

/** Keeps the calls of a board away from what it keeps and what it is made of. */
export interface PlaceGuard {
  /** Finds the arguments of a call that lead there. */
  check(tool: Tool, args: Readonly<Record<string, unknown>>): ToolIssue[];
  /** The same as a guard, for a board without a policy. */
  readonly guard: CallGuard;
  /** True when the policy lets tools write the files that the board is made of. */
  readonly isOpen: boolean;
  /** Tells whether a call with these checked arguments leads there. */
  refuses(tool: Tool, args: unknown): boolean;
  /** The same for a dry run. */
  foresee(tool: Tool, args: Readonly<Record<string, unknown>>): DryVerdict | undefined;
}

const GLOB = /[*?{[]/;

/** Makes the guard of a board's places, for every tool, with a policy or without. */
export function guardPlaces(parts: PlaceParts): PlaceGuard {
  const { config, origins } = parts;
  const places = findPlaces(parts);
  const mayWrite = config.files.findLast(({ policy }) => boardRight(policy) !== undefined)?.policy;
  const isOpen = boardRight(mayWrite) === 'write';
  const known = new WeakMap<Tool, { readonly paths: ToolPaths | undefined }>();
  const read = (tool: Tool): ToolPaths | undefined => {
    const found = known.get(tool) ?? { paths: readPaths(tool, origins) };
    known.set(tool, found);
    return found.paths;
  };
  const check = (tool: Tool, args: Readonly<Record<string, unknown>>): ToolIssue[] => {
    const writes = !isOpen && riskOfCall(tool, args) !== 'read';
    return checkPlaces({ args, paths: read(tool), folders: foldersOf(tool, origins), writes }, places);
  };
  return {
    isOpen,
    check,
    // Checked arguments are an object.
    refuses: (tool, args) => check(tool, args as Readonly<Record<string, unknown>>).length > 0,
    guard: ({ tool, args }) => {
      const issues = check(tool, args);
      return issues.length === 0 ? undefined : new ToolError(explainIssues(tool, issues));
    },
    foresee: (tool, args) => {
      const issues = check(tool, args);
      if (issues.length === 0) return undefined;
      const message = issues.map(({ path, message: text }) => `${formatPath(path)} ${text}`).join('; ');
      return { type: 'refused', message };
    },
  };
}

/** The repositories, besides the board's own, that the policies of the files trust. */
export function trustedRepositories(files: readonly LoadedFile[], cwd: string): string[] {
  return files.flatMap(({ policy, file, isInline }) => {
    const named: unknown = Object(policy?.['files']).repositories;
    const folder = isInline ? cwd : dirname(resolve(cwd, file));
    return Array.isArray(named) ? named.map((path) => resolve(folder, expandHome(String(path), process.env))) : [];
  });
}

function boardRight(policy: Readonly<Record<string, unknown>> | undefined): unknown {
  return Object(policy?.['files']).board;
}

function findPlaces({ config, origins, lock, skills, outputFolder, cwd, servers }: PlaceParts): BoardPlaces {
  const { host } = origins;
  const files = config.files.filter(({ isInline }) => !isInline);
  const asked = [
    ...config.given.map((pattern) => ({ pattern, folder: cwd })),
    ...files.flatMap(({ file, imports }) =>
      imports.map(({ pattern }) => ({ pattern, folder: dirname(resolve(cwd, file)) })),
    ),
  ];
  const own = [
    ...files.map(({ file }) => resolve(cwd, file)),
    lock.file,
    lock.source,
    queriesFileOf(lock.file),
    ...skills,
    ...config.files.flatMap(({ plugins }) =>
      plugins.flatMap(({ name, folder }) => (/^[./~]/.test(name) ? [resolve(folder, name)] : [])),
    ),
    ...config.files.flatMap(({ entries }) => entries.flatMap((entry) => entry.kind.ownFiles?.(entry, host) ?? [])),
    ...servers.flatMap(({ command, cwd: folder }) => programFiles(command, folder)),
  ];
  return {
    closed: [...new Set([host.data, stateFolder(host.env), outputFolder])],
    own: [...new Set(own)],
    imported: asked.flatMap(({ pattern, folder }) => importFolder(pattern, folder) ?? []),
  };
}

/** The folder whose config files a pattern stands for, also those that are not there yet; `undefined` for a file. */
function importFolder(pattern: string, folder: string): string | undefined {
  if (!GLOB.test(pattern)) return /\.\w+$/.test(pattern) ? undefined : resolve(folder, pattern);
  const steps = pattern.split('/');
  const fixed = steps.slice(
    0,
    steps.findIndex((step) => GLOB.test(step)),
  );
  return resolve(folder, join(...fixed, '.'));
}

/** The known paths of a tool; `undefined` when every text may be one. */
function readPaths(tool: Tool, origins: ToolOrigins): ToolPaths | undefined {
  if (isHelperTool(tool) || isDiscoveryTool(tool)) return NO_PATHS;
  const told = pathsOf(tool, origins);
  try {
    if (told === undefined) return cannotHoldPath(tool.inputSchema) ? NO_PATHS : undefined;
    const names = [...new Set([...told.names, ...schemaPaths(tool.inputSchema)])];
    return { ...told, names };
  } catch {
    // A schema that cannot be shown says nothing about paths.
    return told;
  }
}

/** The folders that relative paths of a tool start from; empty for a tool of another machine. */
function foldersOf(tool: Tool, { host, serverOf }: ToolOrigins): readonly string[] {
  const address = serverOf(tool)?.settings.address;
  if (address === undefined) return [host.cwd];
  return address.type === 'stdio' ? [address.cwd] : [];
}
