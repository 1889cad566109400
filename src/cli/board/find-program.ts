import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';
import type { CliContext } from '../cli-context.ts';

/** The program that a name or path stands for, as the system would find it. */
export function findProgram(command: string, { env, cwd }: Pick<CliContext, 'env' | 'cwd'>): string | undefined {
  const candidates = command.includes('/')
    ? [isAbsolute(command) ? command : resolve(cwd, command)]
    : (env['PATH'] ?? '').split(delimiter).map((folder) => join(folder || '.', command));
  return candidates.find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
