import { readFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { findFiles } from '../../../load/load-config.ts';
import { readYaml } from '../../../load/yaml/read-yaml.ts';
import { isPlainObject } from '../../../tool/json.ts';
import type { AddTarget } from './add-source.ts';

/** The tools and files of a board, including those planned earlier in the same command. */
export interface BoardTools {
  /** The file of each tool by name, relative to the board's folder. */
  readonly places: ReadonlyMap<string, string>;
  /** All files, relative to the board's folder. */
  readonly files: ReadonlySet<string>;
}

/** Reads the tool names in the files of a board. Skips unreadable files: `pegboard validate` reports them. */
export function readBoardTools({ folder, shown, before }: AddTarget, cwd: string): BoardTools {
  const places = new Map<string, string>();
  const files = new Set<string>();
  const add = (path: string, text: string): void => {
    files.add(path);
    for (const name of toolNames(parse(text, path))) places.set(name, path);
  };
  // Imports are read first, so that a file takes precedence over its imports.
  const open = (file: string): void => {
    const path = relative(folder, file);
    if (files.has(path)) return;
    files.add(path);
    const text = tryRead(file);
    const data = parse(text, path);
    const patterns = isPlainObject(data) ? [data['import'] ?? []].flat() : [];
    for (const pattern of patterns) {
      if (typeof pattern === 'string') for (const imported of findFiles(pattern, dirname(file))) open(imported);
    }
    add(path, text);
  };
  open(resolve(cwd, shown));
  for (const { path, text } of before.flatMap((plan) => plan.files)) add(path, text);
  return { places, files };
}

function toolNames(data: unknown): string[] {
  const tools: unknown[] = isPlainObject(data) && Array.isArray(data['tools']) ? data['tools'] : [];
  return tools.flatMap((tool) => (isPlainObject(tool) && typeof tool['name'] === 'string' ? [tool['name']] : []));
}

function parse(text: string, path: string): unknown {
  try {
    return readYaml(Buffer.from(text), path).value;
  } catch {
    return undefined;
  }
}

function tryRead(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
