import { expect, it } from 'vitest';
import { defineTool } from '../tool/define/define-tool.ts';
import { ToolIndex } from '../discovery/tool-index.ts';
import { ToolRegistry } from '../board/registry/tool-registry.ts';
import { BoardViews } from './board-views.ts';

it('lets other requests have their turn while it counts a large board, and counts it once', async () => {
  const registry = new ToolRegistry().registerMany(
    Array.from({ length: 3000 }, (_, number) =>
      defineTool({
        name: `tool_${number}`,
        description: `Look up the item number ${number} of the shop`,
        schema: { type: 'object', properties: { item: { type: 'string' }, count: { type: 'integer' } } },
        execute: () => 'found',
      }),
    ),
  );
  const views = new BoardViews({ registry, index: ToolIndex.from(registry) }, { hasApprovals: false });
  const over = new AbortController();
  const overview = views.overview().finally(() => over.abort());
  let turns = 0;
  while (!over.signal.aborted) {
    await new Promise((resolve) => setImmediate(resolve));
    if (turns++ === 0) expect((await views.tools(new URLSearchParams())).total).toBe(3000);
  }
  expect(turns).toBeGreaterThan(10);
  const { tokens, toolCount } = await overview;
  expect(toolCount).toBe(3000);
  expect(views.tool('tool_1').tokens * 3000).toBeGreaterThan(tokens.all * 0.9);
  expect(await views.overview()).toEqual(await overview);
});
