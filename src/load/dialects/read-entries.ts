import type { Kind, ToolEntry } from '../../kinds/kind.ts';
import type { FileContext } from '../file-context.ts';
import { nameOf } from '../to-loaded-file.ts';
import type { Dialect } from './detect-dialect.ts';
import { type ClimaxFile, readClimax } from './read-climax.ts';
import { readCtxTools } from './read-ctx.ts';
import { readBoardTools } from './read-pegboard.ts';

interface ReadOptions {
  readonly context: FileContext;
  readonly dialect: Dialect;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The folder that relative paths of the file start from. */
  readonly folder: string;
  /** The folder that relative paths of a CLImax file start from. */
  readonly cwd: string;
  /** Returns the kind of the tool at an index, if any. */
  readonly kindAt: (index: number) => Kind | undefined;
}

/** Reads the tools of a file that matches the schema of its dialect. */
export function readEntries(data: Readonly<Record<string, unknown>>, options: ReadOptions): ToolEntry[] {
  const { context, dialect, env, folder, cwd, kindAt } = options;
  const source = nameOf(data, context);
  switch (dialect) {
    case 'climax':
      // It has just been checked against its schema.
      return readClimax(data as unknown as ClimaxFile, { context, env, cwd });
    case 'ctx':
      return readCtxTools(data, { context, source, folder, kindAt });
    case 'pegboard':
      return readBoardTools(data, { context, source, folder, kindAt });
    case 'climax-policy':
      return [];
  }
}
