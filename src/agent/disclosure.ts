import type { ToolRegistry } from '../registry/tool-registry.ts';
import type { Agent } from './agent.ts';
import type { AgentCall } from './agent-result.ts';
import type { OfferedTools } from './offered-tools.ts';
import type { AgentBoard } from './run-options.ts';

/** Tools that are shown as they are found. */
export interface Disclosure {
  /** Every tool the agent may call, the search included. */
  readonly registry: ToolRegistry;
  readonly offered: OfferedTools;
  /** Shows what these calls have found; gives the names of the tools that are new. */
  disclose(calls: readonly AgentCall[]): string[];
}

export function openDisclosure(_agent: Agent, _registry: ToolRegistry, _board: AgentBoard): Disclosure | undefined {
  return undefined;
}
