import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { isPlainObject } from '../../tool/json.ts';
import { formatPath } from '../../tool/texts/explain-issues.ts';
import { readClientServers } from '../variables/fill-file.ts';
import type { LoadedFile } from '../loaded-file.ts';
import { readYaml } from '../yaml/read-yaml.ts';
import { guardOf } from './guard-of.ts';
import type { RecordedContents } from './recorded-contents.ts';
import { usedVariables } from './used-variables.ts';

/** A part of a board's files whose change waits for a person. */
export interface GuardedPart {
  /** Identifies it among the parts of all files. */
  readonly key: string;
  /** Its name for people: `mcpServers.github.command`. */
  readonly label: string;
  /** `pegboard.yaml:12` */
  readonly where: string;
  readonly value: unknown;
  /** The variables and files that its value is made with, each with its definition or a hash. */
  readonly uses: Readonly<Record<string, string>>;
  /** True when people must not see the value, or would not understand it. */
  readonly isHidden: boolean;
  /** The parts that are new or gone together, such as those of one server. */
  readonly whole: { readonly key: string; readonly label: string } | undefined;
  /** True when it may disappear without a question: less runs without it. */
  readonly mayGo: boolean;
}

/** Parts of several files, and the files in the order in which later ones win. */
export interface GuardedParts {
  readonly parts: ReadonlyMap<string, GuardedPart>;
  readonly files: readonly string[];
}

type Path = readonly (string | number)[];

/** Collects the guarded parts of board files from what is written there: no variable is filled in, so no secret is read. */
export function readGuardedParts(
  files: readonly LoadedFile[],
  { contents, cwd }: { readonly contents: RecordedContents; readonly cwd: string },
): GuardedParts {
  const found = files
    .filter(({ isInline }) => !isInline)
    .map((file) => ({ file, parts: [...writtenParts(file, contents, cwd), ...codeParts(file, contents, cwd)] }));
  return {
    parts: new Map(found.flatMap(({ parts }) => parts.map((part) => [part.key, part] as const))),
    files: found.flatMap(({ file, parts }) => (parts.length > 0 ? [file.file] : [])),
  };
}

/** Reads the data of a config file as it is written; `undefined` for a file of code. */
export function readWritten(
  { file }: Pick<LoadedFile, 'file'>,
  contents: RecordedContents,
  cwd: string,
): ReturnType<typeof readYaml> | undefined {
  const path = resolve(cwd, file);
  if (/\.[cm]?[jt]s$/.test(path)) return undefined;
  const bytes = contents.readIfThere(path);
  return bytes && readYaml(bytes, file);
}

/** The parts that stand in a config file. */
function writtenParts(file: LoadedFile, contents: RecordedContents, cwd: string): GuardedPart[] {
  const yaml = readWritten(file, contents, cwd);
  if (yaml === undefined || !isPlainObject(yaml.value)) return [];
  const isPolicy = file.dialect === 'climax-policy';
  const written = isPolicy ? { policy: yaml.value } : file.dialect === 'pegboard' ? readClientServers(yaml.value) : {};
  const folder = resolve(cwd, file.file, '..');
  const variables = isPlainObject(written['variables']) ? written['variables'] : {};
  const readHash = (name: string): string => hashOf(contents.readIfThere(resolve(folder, name)));
  return leavesOf(written, []).flatMap(({ path, value }): GuardedPart[] => {
    const guard = guardOf(path);
    if (guard === undefined) return [];
    const { isHidden = false, mayGo = false, isName = false, rotates = false, whole } = guard;
    const line = yaml.locate(isPolicy ? path.slice(1) : path)?.line;
    const own = whole === undefined ? undefined : path.slice(0, whole);
    return [
      {
        key: JSON.stringify([file.file, ...path]),
        label: formatPath(path),
        where: line === undefined ? file.file : `${file.file}:${line}`,
        value: isName ? null : value,
        uses: isName ? {} : usedVariables(value, { variables, readHash, rotates }),
        isHidden: isHidden || isName,
        whole: own && { key: JSON.stringify([file.file, ...own]), label: formatPath(own) },
        mayGo,
      },
    ];
  });
}

/** The code that runs when the board is read: plugins, and scripts. */
function codeParts(file: LoadedFile, contents: RecordedContents, cwd: string): GuardedPart[] {
  const toPart = (
    kind: string,
    name: string,
    { path, code }: { path: Path; code: string | undefined },
  ): GuardedPart => {
    const line = file.locate(path)?.line;
    return {
      key: JSON.stringify([file.file, kind, code ?? name]),
      label: `the ${kind} ${JSON.stringify(name)}`,
      where: line === undefined ? file.file : `${file.file}:${line}`,
      value: code === undefined ? name : hashOf(contents.readIfThere(code)),
      uses: {},
      isHidden: true,
      whole: undefined,
      // A plugin may guard calls; a script only brings tools.
      mayGo: kind === 'script',
    };
  };
  const plugins = file.plugins.map(({ name, folder, path }) => {
    const code = isLocal(name) ? resolve(folder, name) : undefined;
    return toPart('plugin', name, { path, code });
  });
  const scripts = codeEntries(file).flatMap((entry) =>
    (entry.kind.ownFiles?.(entry, { cwd }) ?? []).map((code) => toPart('script', code, { path: entry.path, code })),
  );
  return [...plugins, ...scripts];
}

/** The entries whose code runs when the board is read. */
export function codeEntries({ entries }: Pick<LoadedFile, 'entries'>): LoadedFile['entries'] {
  return entries.filter(({ kind }) => kind.runsCode);
}

/** Returns true for a plugin in a file of its own, which a reload loads again when it changed. */
export function isLocal(plugin: string): boolean {
  return plugin.startsWith('.') || plugin.startsWith('/') || /^[A-Za-z]:[\\/]/.test(plugin);
}

/** Lists the values of a mapping and of the mappings in it. */
function leavesOf(value: unknown, path: Path): { readonly path: Path; readonly value: unknown }[] {
  if (!isPlainObject(value) || (path.length > 0 && Object.keys(value).length === 0)) return [{ path, value }];
  return Object.entries(value).flatMap(([key, item]) => leavesOf(item, [...path, key]));
}

export function hashOf(bytes: Uint8Array | undefined): string {
  return bytes === undefined ? 'none' : createHash('sha256').update(bytes).digest('hex');
}
