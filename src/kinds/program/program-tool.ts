import { readFile } from 'node:fs/promises';
import { PROGRAM_MARK } from '../../tool/tool-marks.ts';
import { messageOf } from '../../tool/texts/message-of.ts';
import type { JsonSchema } from '../../tool/json.ts';
import type { Tool } from '../../tool/tool.ts';
import { defineTool } from '../../tool/define/define-tool.ts';
import { callTime, type CodeLimits, readLimits } from '../../code/code-limits.ts';
import { runSavedProgram } from '../../code/saved-program.ts';
import type { EntryFault, KindHost, ToolEntry } from '../kind.ts';

/** A program in a file that calls tools. */
export interface ProgramSettings {
  /** The absolute path of its file. */
  readonly file: string;
  /** The tools it may call; `undefined` for all that its caller may call. */
  readonly tools: readonly string[] | undefined;
  readonly limits: Partial<CodeLimits>;
  readonly schema: JsonSchema;
}

/** The tools of each board, by name, with the key of their source. */
const made = new WeakMap<AbortSignal, Map<string, { readonly key: string; readonly tool: Tool }>>();

/** Creates the tool of a program. An unchanged tool stays the same object across reloads of its board. */
export async function programTool({ metadata, settings }: ToolEntry<ProgramSettings>, host: KindHost): Promise<Tool[]> {
  const { file, tools, schema } = settings;
  const limits = readLimits(settings.limits);
  const code = await readFile(file, 'utf8');
  const { name } = metadata;
  const ofBoard = made.get(host.closed) ?? new Map<string, { readonly key: string; readonly tool: Tool }>();
  made.set(host.closed, ofBoard);
  const key = JSON.stringify([metadata, settings, code]);
  const known = ofBoard.get(name);
  if (known?.key === key) return [known.tool];
  const tool = defineTool({
    timeout: callTime(limits),
    ...metadata,
    ...PROGRAM_MARK,
    schema,
    execute: (input, context) =>
      runSavedProgram({ name, code, input, limits, tools }, { target: host.programs(), context }),
  });
  ofBoard.set(name, { key, tool });
  return [tool];
}

/** Finds faults in a program's file and limits. */
export async function checkFile({ file, limits }: ProgramSettings): Promise<EntryFault[]> {
  const faults: EntryFault[] = [];
  try {
    readLimits(limits);
  } catch (error) {
    faults.push({ path: ['limits'], message: messageOf(error) });
  }
  try {
    const { parseProgram } = await import('../../code/check/parse-program.ts');
    const parsed = parseProgram(await readFile(file, 'utf8'));
    if (!parsed.ok) {
      const { line, column, message } = parsed.fault;
      faults.push({ path: ['file'], message: `${file}:${line}:${column} ${message}` });
    }
  } catch (error) {
    faults.push({ path: ['file'], message: `the program cannot be read: ${messageOf(error)}` });
  }
  return faults;
}
