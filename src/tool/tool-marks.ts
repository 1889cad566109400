import type { Tool } from './tool.ts';

/** Marks tools through which others are found and called. A symbol, so that no file and no server can say it of itself. */
const DISCOVERY: unique symbol = Symbol.for('pegboard.discovery');

/** What the metadata of such a tool carries besides its fields. */
export const DISCOVERY_MARK: Readonly<Record<symbol, true>> = Object.freeze({ [DISCOVERY]: true });

/**
 * Tells the tools through which others are found and called from those.
 *
 * An index does not list them and no policy asks about them: it is the call they lead to that is guarded.
 */
export function isDiscoveryTool({ metadata }: Pick<Tool, 'metadata'>): boolean {
  return DISCOVERY in metadata && metadata[DISCOVERY] === true;
}

/** Marks the tool that runs programs. A symbol, so that no file and no server can say it of itself. */
const CODE: unique symbol = Symbol.for('pegboard.code');

/** What the metadata of such a tool carries besides its fields: its programs find tools and call them. */
export const CODE_MARK: Readonly<Record<symbol, true>> = Object.freeze({ [DISCOVERY]: true, [CODE]: true });

/** Tells the tool that runs programs. Unlike others that lead to calls, a policy may forbid it or ask about it. */
export function isCodeTool({ metadata }: Pick<Tool, 'metadata'>): boolean {
  return CODE in metadata && metadata[CODE] === true;
}

/** Marks tools that a board adds by itself. A symbol, so that no file and no server can say it of itself. */
const HELPER: unique symbol = Symbol.for('pegboard.helper');

/** What the metadata of such a tool carries besides its fields. */
export const HELPER_MARK: Readonly<Record<symbol, true>> = Object.freeze({ [HELPER]: true });

/**
 * Tells the tools that a board adds by itself, such as those that read outputs too large to return.
 *
 * They need no search: the answer that makes one useful names it. An index does not list them; calls reach them.
 */
export function isHelperTool({ metadata }: Pick<Tool, 'metadata'>): boolean {
  return HELPER in metadata && metadata[HELPER] === true;
}

/** Marks tools that another MCP server runs. A symbol, so that no file and no server can say it of itself. */
const SERVED: unique symbol = Symbol.for('pegboard.served');

/** What the metadata of such a tool carries besides its fields. */
export const SERVED_MARK: Readonly<Record<symbol, true>> = Object.freeze({ [SERVED]: true });

/** Tells the tools that another MCP server runs. Their schemas are the server's, so their callers did not choose them. */
export function isServedTool({ metadata }: Pick<Tool, 'metadata'>): boolean {
  return SERVED in metadata && metadata[SERVED] === true;
}

/** Marks tools that are agents. A symbol, so that no file and no server can say it of itself. */
const AGENT: unique symbol = Symbol.for('pegboard.agent');

/** What the metadata of such a tool carries besides its fields. */
export const AGENT_MARK: Readonly<Record<symbol, true>> = Object.freeze({ [AGENT]: true });

/** Tells the tools that are agents. Where the run that calls one is kept, a call that is made again goes on where it was. */
function isAgentTool({ metadata }: Pick<Tool, 'metadata'>): boolean {
  return AGENT in metadata && metadata[AGENT] === true;
}

/** Marks tools that are saved programs. A symbol, so that no file and no server can say it of itself. */
const PROGRAM: unique symbol = Symbol.for('pegboard.program');

/** What the metadata of such a tool carries besides its fields. */
export const PROGRAM_MARK: Readonly<Record<symbol, true>> = Object.freeze({ [PROGRAM]: true });

/** Tells the tools that are saved programs. They do nothing but calls, and each of those is judged: no policy asks about them by their risk. */
export function isProgramTool({ metadata }: Pick<Tool, 'metadata'>): boolean {
  return PROGRAM in metadata && metadata[PROGRAM] === true;
}

/** Tells the tools whose call, made again under its key, goes on where it was: agents and saved programs. */
export function isResumable(tool: Pick<Tool, 'metadata'>): boolean {
  return isAgentTool(tool) || isProgramTool(tool);
}

/** Marks tools that give the instructions of a skill. A symbol, so that no file and no server can say it of itself. */
const SKILL: unique symbol = Symbol.for('pegboard.skill');

/** What the metadata of such a tool carries besides its fields. */
export const SKILL_MARK: Readonly<Record<symbol, true>> = Object.freeze({ [SKILL]: true });

/** Tells the tools that give the instructions of a skill. Where `read_skill` names them all, they are not listed one by one. */
export function isSkillTool({ metadata }: Pick<Tool, 'metadata'>): boolean {
  return SKILL in metadata && metadata[SKILL] === true;
}

/** Marks tools around a command line. A symbol, so that no file and no server can say it of itself. */
const WORDS: unique symbol = Symbol.for('pegboard.words');

/** What the metadata of a tool around a command line carries besides its fields: its arguments that have no flag. */
export function wordsMark(names: readonly string[]): Readonly<Record<symbol, readonly string[]>> {
  return { [WORDS]: names };
}

/** The arguments of a command line that have no flag, in their order; `undefined` for tools that are no command line. */
export function wordsOf({ metadata }: Pick<Tool, 'metadata'>): readonly string[] | undefined {
  // The only place that sets it is above.
  return WORDS in metadata ? (metadata[WORDS] as readonly string[]) : undefined;
}
