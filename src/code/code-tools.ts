import { clientOf } from '../tool/calls/call-owner.ts';
import type { Tool } from '../tool/tool.ts';
import { bindTools } from '../tool/define/make-tool.ts';
import { createSearchTool } from '../discovery/meta-tools/search-tools.ts';
import { ToolRegistry } from '../board/registry/tool-registry.ts';
import type { BoardParts } from '../discovery/board-like.ts';
import { type DiscoveryTarget, scopeIndex } from '../discovery/meta-tools/discovery-view.ts';
import { ToolIndex } from '../discovery/tool-index.ts';
import type { CodeTarget } from './code-target.ts';
import { type CodeToolOptions, createCodeTool } from './code-tool.ts';

/**
 * Creates the two tools of code mode: `search_tools`, which shows how code calls the tools it finds, and `run_code`. Programs
 * call all other tools.
 */
export function createCodeTools(target: CodeTarget, options?: CodeToolOptions): Tool[] {
  const search = createSearchTool(target, {
    declare: async (context) => {
      // A program usually comes next: load its runtime while the model writes.
      void warmUp();
      const [{ declareTool }, { readShapes }, { openProgramTools }] = await Promise.all([
        import('./types/declare-tools.ts'),
        import('./types/learned-shapes.ts'),
        import('./program/program-tools.ts'),
      ]);
      const tools = openProgramTools(target, context);
      const shapes = await readShapes(target.store, clientOf(context).user);
      return (tool, detail) =>
        declareTool(tool, tools.identifierOf(tool), {
          isBrief: detail === 'brief',
          isNamed: detail === 'names',
          learned: shapes.get(tool.metadata.name),
        });
    },
  });
  return bindTools([search, createCodeTool(target, options)], target.registry.executor);
}

async function warmUp(): Promise<void> {
  try {
    const [{ warmSandbox }] = await Promise.all([import('./sandbox/sandbox.ts'), import('./program/start-program.ts')]);
    await warmSandbox();
  } catch {
    // The program itself reports missing packages.
  }
}

/** Creates the tools of code mode for a board, or for some of its tools: programs can call only those. */
export function codeToolsFor(board: BoardParts, only?: Iterable<string>): Tool[] {
  const { registry, index } = board;
  if (only === undefined)
    return createCodeTools(toTarget(board, { registry, index: index ?? ToolIndex.from(registry) }));
  const own = new ToolRegistry({ executor: registry.executor }).registerMany(registry.only(only));
  return createCodeTools(
    toTarget(board, { registry: own, index: index === undefined ? ToolIndex.from(own) : scopeIndex(index, own) }),
  );
}

/** Returns the parts of a board that programs use. The store is opened on demand. */
export function toTarget(
  board: Pick<BoardParts, 'outputs' | 'store' | 'sealed'>,
  { registry, index }: DiscoveryTarget,
): CodeTarget {
  return {
    registry,
    index,
    outputs: board.outputs,
    get store() {
      return board.store;
    },
    get sealed() {
      return board.sealed;
    },
  };
}
