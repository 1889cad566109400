import type { Agent } from '../../../agent/define/agent.ts';
import type { AgentSession } from '../../../agent/session/agent-session.ts';
import type { Board } from '../../../board/board.ts';
import type { Approve } from '../../../guard/approval/guard.ts';
import type { CliContext } from '../../cli-context.ts';

/** A conversation at the terminal. */
export interface Chat {
  readonly board: Board;
  readonly agent: Agent;
  readonly context: CliContext;
  readonly approve: Approve | undefined;
  session: AgentSession;
}
