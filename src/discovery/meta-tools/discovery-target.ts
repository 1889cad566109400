import type { ToolRegistry } from '../../board/registry/tool-registry.ts';
import type { ToolIndex } from '../tool-index.ts';

/** What the tools for finding others need of an index. */
export type DiscoveryIndex = Pick<ToolIndex, 'find' | 'search' | 'summary' | 'groups' | 'get' | 'size'>;

/** What tools are found in, and what they are called through. */
export interface DiscoveryTarget {
  readonly registry: ToolRegistry;
  readonly index: DiscoveryIndex;
}
