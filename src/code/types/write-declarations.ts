import { isForModels } from '../../tool/app-pages.ts';
import { isDiscoveryTool, isHelperTool } from '../../tool/tool-marks.ts';
import { ToolContext } from '../../tool/tool-context.ts';
import type { BoardStore } from '../../platform/store/board-store.ts';
import type { DiscoveryTarget } from '../../discovery/meta-tools/discovery-view.ts';
import { openProgramTools } from '../program/program-tools.ts';
import { declareMember } from './declare-tools.ts';
import { readShapes } from './learned-shapes.ts';

/** A board whose tools are declared. */
export interface DeclaredBoard extends DiscoveryTarget {
  /** The store of learned shapes; those of the board's user apply. Default: none. */
  readonly store?: BoardStore | undefined;
}

const COMMON = `/** The error of a failed call. */
interface ToolFault { code: string; message: string; tool?: string; issues: { path: (string | number)[]; message: string }[]; recoverable: boolean }
/** The result of a call that does not throw. */
type ToolOutcome<Output> = { ok: true; data: Output } | { ok: false; error: ToolFault };
/** A tool: the call itself throws what \`try\` gives as \`error\`. */
type ToolFunction<Input, Output, Optional extends boolean = false> = Optional extends true
  ? { (args?: Input): Promise<Output>; try(args?: Input): Promise<ToolOutcome<Output>> }
  : { (args: Input): Promise<Output>; try(args: Input): Promise<ToolOutcome<Output>> };`;

const PROGRAM = `declare const input: any;
declare function search(query: string, options?: { limit?: number }): Promise<{ name: string; signature: string; description: string }[]>;
declare function describe(name: string): Promise<{ name: string; signature: string; description: string; risk?: string; inputSchema: object; outputSchema?: object }>;
declare function sleep(milliseconds: number): Promise<void>;
declare const outputs: { read(id: string): Promise<string> };
declare const console: { log(...values: unknown[]): void; info(...values: unknown[]): void; warn(...values: unknown[]): void; error(...values: unknown[]): void; debug(...values: unknown[]): void };
declare class ToolError extends Error implements ToolFault { code: string; tool?: string; issues: ToolFault['issues']; recoverable: boolean }`;

/** Writes a declaration file for editors with everything that a program of `run_code` can use. */
export async function writeDeclarations(board: DeclaredBoard): Promise<string> {
  return `// Written by "pegboard types": what programs of run_code find.\n${COMMON}\ndeclare const tools: ${await writeTools(board)};\n${PROGRAM}\n`;
}

/** Writes a module with a typed function for each tool of a board. */
export async function writeClient(board: DeclaredBoard): Promise<string> {
  return `// Written by "pegboard emit": write it again when the board changes.
import { toolFunctions } from 'pegboard/code';
import type { BoardLike } from 'pegboard/code';

${COMMON.replaceAll(/^(interface|type) /gm, 'export $1 ')}

/** The tools of the board. */
export type Tools = ${await writeTools(board)};

/** The tools of a board as functions; every call goes through its pipeline. */
export function createTools(board: BoardLike): Tools {
  return toolFunctions(board) as unknown as Tools;
}
`;
}

async function writeTools(board: DeclaredBoard): Promise<string> {
  const tools = openProgramTools(board, ToolContext.from(undefined));
  const shapes = await readShapes(board.store, '');
  const members = tools.view
    .tools()
    .filter((tool) => !isDiscoveryTool(tool) && !isHelperTool(tool) && isForModels(tool))
    .map((tool) => declareMember(tool, tools.identifierOf(tool), { learned: shapes.get(tool.metadata.name) }));
  return `{\n${members.map((member) => member.replaceAll(/^/gm, '  ')).join('\n')}\n}`;
}
