export type {
  Agent,
  AgentLimits,
  AgentToolChoice,
  ModelName,
  ModelSettings,
  SystemPrompt,
  TokenPrices,
  ToolPick,
} from './agent/agent.ts';
export { type AgentSpec, defineAgent } from './agent/define-agent.ts';
export { AgentDefinition, type AgentSource } from './agent/agent-definition.ts';
export { ToolBuilder } from './agent/tool-builder.ts';
export { agentAsTool, runAgent } from './agent/run-agent.ts';
export { type AgentStream, streamAgent } from './agent/stream-agent.ts';
export type { AgentBoard, AgentInput, RunOptions } from './agent/run-options.ts';
export type { AgentCall, AgentFailure, AgentResult, AgentStep } from './agent/agent-result.ts';
export type { AgentEvent } from './agent/agent-event.ts';
export type { AgentUsage } from './agent/agent-usage.ts';
export {
  type AgentSession,
  createMemorySession,
  listSessions,
  openSession,
  type SessionInfo,
} from './agent/agent-session.ts';
export type { SessionStep, SessionTurn } from './agent/session-turn.ts';
export type { TurnOptions } from './agent/turn-lock.ts';
export { readAgents } from './agent/read-agents.ts';
export { ModelMisuseError } from './agent/model-misuse-error.ts';
