import type { ToolRegistry } from '../../board/registry/tool-registry.ts';
import type { ToolIndex } from '../tool-index.ts';

/** The part of an index that discovery tools use. */
export type DiscoveryIndex = Pick<ToolIndex, 'find' | 'search' | 'summary' | 'groups' | 'get' | 'size'>;

/** The index to find tools in, and the registry to call them through. */
export interface DiscoveryTarget {
  readonly registry: ToolRegistry;
  readonly index: DiscoveryIndex;
}
