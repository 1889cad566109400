import { describeBriefly } from '../meta-tools/describe-hit.ts';
import { estimateTokens } from '../tokens/estimate-tokens.ts';
import type { ToolIndex } from '../tool-index.ts';

/** About how many tokens found tools cost an agent: the line that `search_tools` writes for each. */
export function costOfHits(index: ToolIndex, hits: readonly { readonly name: string }[]): number {
  const lines = hits.flatMap(({ name }) => {
    const tool = index.get(name);
    return tool === undefined ? [] : [describeBriefly(tool)];
  });
  return estimateTokens(lines.join('\n'));
}
