import { wordsForModel } from '../../tool/server-words.ts';
import type { Tool } from '../../tool/tool.ts';
import { toDeclaredTool } from '../../export/ai-sdk.ts';
import { describeTool } from '../../export/describe-tool.ts';
import { createNameTable, type NameTable } from '../../export/name-table.ts';
import { FRAMEWORK_NAMES } from '../../export/tool-runner.ts';
import type { ToolSet } from '../model/ai-types.ts';
import type { FunctionTool } from '../model/ai-types.ts';

/** The tools a model sees. They are only ever added to, at the end, so that what the provider has cached stays valid. */
export class ShownTools {
  /** For the AI SDK, under the providers' names. */
  readonly set: ToolSet = {};
  /** As providers get them. */
  readonly declared: FunctionTool[] = [];
  readonly #shown = new Set<string>();
  readonly #names: NameTable;

  /** `known` is every tool that may ever be shown: names depend on all of them. */
  constructor(known: Iterable<string>, shownTools: Iterable<Tool>) {
    this.#names = createNameTable(known, FRAMEWORK_NAMES);
    for (const tool of shownTools) this.add(tool);
  }

  /** Shows another tool from the next step on. False when it is shown already. */
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

  /** The names of the tools that are shown, in order. */
  get names(): string[] {
    return [...this.#shown];
  }

  /** The provider's name for one of the board's. */
  toProvider(name: string): string {
    return this.#names.toProvider(name) ?? name;
  }

  /** The board's name for one that the model used. */
  toBoard(name: string): string {
    return this.#names.toOriginal(name) ?? name;
  }
}
