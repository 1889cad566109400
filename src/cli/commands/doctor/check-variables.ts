import { readFileSync } from 'node:fs';
import { isAbsolute, dirname, resolve } from 'node:path';
import { shellVariablesIn, variablesIn } from '../../../load/variables/interpolate.ts';
import { START_FOLDER } from '../../../load/variables/fill-file.ts';
import type { LoadedFile } from '../../../load/loaded-file.ts';
import { readYaml } from '../../../load/yaml/read-yaml.ts';
import { isPlainObject } from '../../../tool/json.ts';
import type { CliContext } from '../../shared/cli-context.ts';
import { type Check, Needs, type ToolNeed } from './check.ts';

/** Checks that the variables and secret files of config files are set. Never shows their values. */
export function checkVariables(files: readonly LoadedFile[], needs: readonly ToolNeed[], context: CliContext): Check[] {
  const required = new Needs();
  const optional = new Needs();
  for (const file of files) {
    const found = findVariables(file, context);
    for (const name of found.required) required.add(name, file.file);
    for (const name of found.optional) optional.add(name, file.file);
    for (const { tool, file: own, finding } of needs) {
      if (finding.need === 'variable' && own === file.file) optional.add(finding.name, tool);
    }
  }
  const needed = required.list();
  const others = optional.list().filter(({ need }) => !needed.some((other) => other.need === need));
  return [
    ...needed.map(({ need, tools }) => describe(need, tools, isThere(need, context) ? 'ok' : 'missing')),
    ...others.map(({ need, tools }) => describe(need, tools, isThere(need, context) ? 'ok' : 'warning')),
  ];
}

function describe(name: string, tools: readonly string[], status: Check['status']): Check {
  const detail = { ok: 'set', missing: 'not set', warning: 'not set (optional)' }[status];
  return { kind: 'variable', name, status, detail, tools };
}

function isThere(name: string, { env }: CliContext): boolean {
  if (!name.startsWith('file:')) return (env[name] ?? '') !== '';
  try {
    readFileSync(name.slice('file:'.length));
    return true;
  } catch {
    return false;
  }
}

function findVariables(
  { file, dialect }: LoadedFile,
  { cwd }: CliContext,
): { readonly required: Set<string>; readonly optional: Set<string> } {
  const path = resolve(cwd, file);
  const { value } = readYaml(readFileSync(path), file);
  const data = isPlainObject(value) ? value : {};
  const required = new Set<string>();
  const optional = new Set<string>();
  const own = new Set([START_FOLDER, ...(isPlainObject(data['variables']) ? Object.keys(data['variables']) : [])]);
  if (dialect === 'climax') {
    // CLImax leaves unset variables as they are written.
    const { command, env, working_dir, global_args } = data;
    const named = textsOf([command, env, working_dir, global_args]).flatMap(shellVariablesIn);
    return { required, optional: new Set(named) };
  }
  for (const text of textsOf(data)) {
    for (const { name, hasDefault } of variablesIn(text)) {
      if (own.has(name)) continue;
      const isOptional = hasDefault || dialect === 'ctx';
      (isOptional ? optional : required).add(toAbsolute(name, dirname(path)));
    }
  }
  return { required, optional };
}

function toAbsolute(name: string, folder: string): string {
  if (!name.startsWith('file:')) return name;
  const path = name.slice('file:'.length).trim();
  return `file:${isAbsolute(path) ? path : resolve(folder, path)}`;
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : [];
}
