import type { Tool } from './tool.ts';
import type { ToolError } from './tool-error.ts';

/** Metadata that marks a tool. Its keys are symbols, so that no file or server can set them. */
type Mark<T = true> = Readonly<Record<symbol, T>>;

/** Creates a mark and the function that recognizes tools with it. */
function createMark(name: string): readonly [mark: Mark, isMarked: (tool: Pick<Tool, 'metadata'>) => boolean] {
  const key = Symbol.for(`pegboard.${name}`);
  return [Object.freeze({ [key]: true }), ({ metadata }) => key in metadata];
}

const [discovery, isDiscovery] = createMark('discovery');
const [code, isCode] = createMark('code');
const [helper, isHelper] = createMark('helper');
const [served, isServed] = createMark('served');
const [agent, isAgent] = createMark('agent');
const [program, isProgram] = createMark('program');
const [skill, isSkill] = createMark('skill');

/** Marks tools that find and call others. An index does not list them, and policies judge the calls they lead to instead. */
export const DISCOVERY_MARK: Mark = discovery;
/** Returns true for a tool that finds or calls other tools. */
export const isDiscoveryTool: (tool: Pick<Tool, 'metadata'>) => boolean = isDiscovery;

/** Marks the tool that runs programs, which find and call tools. Unlike for other discovery tools, a policy may forbid it or ask about it. */
export const CODE_MARK: Mark = Object.freeze({ ...discovery, ...code });
export const isCodeTool: (tool: Pick<Tool, 'metadata'>) => boolean = isCode;

/**
 * Marks tools that a board adds itself, such as those that read outputs too large to return. An index does not list them: the result that
 * makes one useful names it.
 */
export const HELPER_MARK: Mark = helper;
export const isHelperTool: (tool: Pick<Tool, 'metadata'>) => boolean = isHelper;

/** Marks tools that another MCP server runs. Their schemas are the server's, so their callers did not choose them. */
export const SERVED_MARK: Mark = served;
export const isServedTool: (tool: Pick<Tool, 'metadata'>) => boolean = isServed;

/** Marks tools that are agents. */
export const AGENT_MARK: Mark = agent;

/** Marks saved programs. They only make calls, each of which is judged: no policy asks about them by their risk. */
export const PROGRAM_MARK: Mark = program;
export const isProgramTool: (tool: Pick<Tool, 'metadata'>) => boolean = isProgram;

/** Returns true for agents and saved programs: repeating their call with its key resumes it. */
export function isResumable(tool: Pick<Tool, 'metadata'>): boolean {
  return isAgent(tool) || isProgram(tool);
}

/** Marks tools that return the instructions of a skill. They are not listed one by one if `read_skill` names them all. */
export const SKILL_MARK: Mark = skill;
export const isSkillTool: (tool: Pick<Tool, 'metadata'>) => boolean = isSkill;

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

/** Returns the check of a tool, if any. */
export function sureRefusalOf({ metadata }: Pick<Tool, 'metadata'>): SureRefusal | undefined {
  const check = REFUSES in metadata ? metadata[REFUSES] : undefined;
  // Only `refusingFirst` writes this key.
  return typeof check === 'function' ? (check as SureRefusal) : undefined;
}
