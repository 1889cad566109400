import type { ToolRegistry } from '../../registry/tool-registry.ts';
import type { ToolIndex } from '../tool-index.ts';

/** What tools are found in, and what they are called through. */
export interface DiscoveryHost {
  readonly registry: ToolRegistry;
  readonly index: ToolIndex;
}
