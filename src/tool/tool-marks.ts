import type { Tool } from './tool.ts';
import type { ToolError } from './tool-error.ts';

/** Metadata that marks a tool. Its keys are symbols, so that no file or server can set them. */
type Mark<T = true> = Readonly<Record<symbol, T>>;

function createMark(name: string): readonly [mark: Mark, isMarked: (tool: Pick<Tool, 'metadata'>) => boolean] {
  const key = Symbol.for(`pegboard.${name}`);
  return [Object.freeze({ [key]: true }), ({ metadata }) => key in metadata];
}

/** Marks tools that find and call others. An index does not list them, and policies judge the calls they lead to instead. */
export const [DISCOVERY_MARK, isDiscoveryTool] = createMark('discovery');

const [code, isCode] = createMark('code');
export const isCodeTool: typeof isCode = isCode;
/** Marks the tool that runs programs, which find and call tools. Unlike for other discovery tools, a policy may forbid it or ask about it. */
export const CODE_MARK: Mark = Object.freeze({ ...DISCOVERY_MARK, ...code });

/** Marks tools that a board adds itself, such as those that read long outputs. An index does not list them: results name them. */
export const [HELPER_MARK, isHelperTool] = createMark('helper');

/** Marks tools that another MCP server runs. Their schemas are the server's, so their callers did not choose them. */
export const [SERVED_MARK, isServedTool] = createMark('served');

const [agent, isAgent] = createMark('agent');
export const AGENT_MARK: Mark = agent;

/** Marks saved programs. They only make calls, each of which is judged: no policy asks about them by their risk. */
export const [PROGRAM_MARK, isProgramTool] = createMark('program');

/** Returns true for agents and saved programs: repeating their call with its key resumes it. */
export function isResumable(tool: Pick<Tool, 'metadata'>): boolean {
  return isAgent(tool) || isProgramTool(tool);
}

/** Marks tools that return the instructions of a skill. They are not listed one by one if `read_skill` names them all. */
export const [SKILL_MARK, isSkillTool] = createMark('skill');

const WORDS: unique symbol = Symbol.for('pegboard.words');

/** Marks a command-line tool with the names of its positional arguments. */
export function wordsMark(names: readonly string[]): Mark<readonly string[]> {
  return { [WORDS]: names };
}

/** Returns the positional arguments of a command-line tool, in order; `undefined` for other tools. */
export function wordsOf({ metadata }: Pick<Tool, 'metadata'>): readonly string[] | undefined {
  // Only `wordsMark` sets it.
  return WORDS in metadata ? (metadata[WORDS] as readonly string[]) : undefined;
}

/** Returns the error with which a tool will certainly refuse these arguments, if any. Changes and sends nothing. */
export type SureRefusal = (
  args: Readonly<Record<string, unknown>>,
  signal: AbortSignal,
) => ToolError | undefined | Promise<ToolError | undefined>;

/** Marks the check of a tool. A symbol, so that no file or server can set it. */
const REFUSES: unique symbol = Symbol.for('pegboard.refuses');

/** Returns metadata for a tool that knows some refusals before it runs: no person is asked about such calls. */
export function refusingFirst(check: SureRefusal): Readonly<Record<symbol, SureRefusal>> {
  return { [REFUSES]: check };
}

export function sureRefusalOf({ metadata }: Pick<Tool, 'metadata'>): SureRefusal | undefined {
  const check = REFUSES in metadata ? metadata[REFUSES] : undefined;
  // Only `refusingFirst` writes this key.
  return typeof check === 'function' ? (check as SureRefusal) : undefined;
}
