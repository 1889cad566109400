import { isHelperTool } from '../../tool/tool-marks.ts';
import { wordsForModel } from '../../tool/server-words.ts';
import type { Tool } from '../../tool/tool.ts';
import { toDeclaredTool } from '../../export/ai-sdk.ts';
import { describeTool } from '../../export/describe-tool.ts';
import { createNameTable, FRAMEWORK_NAMES, type NameTable } from '../../export/name-table.ts';
import type { FunctionTool, ToolSet } from '../model/ai-types.ts';

/** The tools a model sees. Tools are only appended, so that the provider's cached prefix stays valid. */
export class ShownTools {
  /** For the AI SDK, by the providers' names. */
  readonly set: ToolSet = {};
  /** The declarations sent to providers. */
  readonly declared: FunctionTool[] = [];
  readonly #shown = new Set<string>();
  readonly #names: NameTable;

  /** `known` lists every tool that may ever be shown: names depend on all of them. */
  constructor(known: Iterable<string>, shownTools: Iterable<Tool>) {
    this.#names = createNameTable(known, FRAMEWORK_NAMES);
    for (const tool of shownTools) this.add(tool);
  }

  /** Shows another tool from the next step on. Returns false if it is already shown. */
  add(tool: Tool): boolean {
    const { name } = tool.metadata;
    if (this.#shown.has(name)) return false;
    this.#shown.add(name);
    const providerName = this.toProvider(name);
    this.set[providerName] = toDeclaredTool(tool);
    const words = wordsForModel(tool);
    // Both types describe the same JSON Schema.
    const inputSchema = words.inputSchema as FunctionTool['inputSchema'];
    this.declared.push({
      type: 'function',
      name: providerName,
      description: describeTool(words.metadata),
      inputSchema,
    });
    return true;
  }

  /** Shows the tools that read the rest of long results; returns the names of the new ones. */
  addHelpers(tools: readonly Tool[]): string[] {
    return tools.flatMap((tool) => (isHelperTool(tool) && this.add(tool) ? [tool.metadata.name] : []));
  }

  /** The names of the shown tools, in order. */
  get names(): string[] {
    return [...this.#shown];
  }

  /** Returns the provider's name for a tool of the board. */
  toProvider(name: string): string {
    return this.#names.toProvider(name) ?? name;
  }

  /** Returns the board's name for a name that the model used. */
  toBoard(name: string): string {
    return this.#names.toOriginal(name) ?? name;
  }
}
