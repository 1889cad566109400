import type { Agent } from '../../agent/agent.ts';
import type { AgentSession } from '../../agent/agent-session.ts';
import type { Board } from '../../config/open-board.ts';
import type { Approve } from '../../policy/guard.ts';
import type { CliContext } from '../cli-context.ts';

/** A conversation at the terminal. */
export interface Chat {
  readonly board: Board;
  readonly agent: Agent;
  readonly context: CliContext;
  readonly approve: Approve | undefined;
  session: AgentSession;
}
