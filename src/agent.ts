export type {
  Agent,
  AgentLimits,
  AgentToolChoice,
  ModelName,
  ModelSettings,
  TokenPrices,
  ToolPick,
} from './agent/define/agent.ts';
export type { SystemPrompt } from './agent/define/agent.ts';
export { type AgentSpec, defineAgent } from './agent/define/define-agent.ts';
export { AgentDefinition, type AgentSource } from './agent/define/define-agent.ts';
export { ToolBuilder } from './agent/define/tool-builder.ts';
export { agentAsTool, runAgent } from './agent/loop/run-agent.ts';
export { type AgentStream, streamAgent } from './agent/loop/run-agent.ts';
export { listRuns, resumeRun, type ResumeOptions, streamRun } from './agent/runs/resume-run.ts';
export type {
  BoardRuns,
  RunCallInfo,
  RunDetails,
  RunInfo,
  RunListOptions,
  RunStatus,
  RunStepInfo,
} from './platform/runs/board-runs.ts';
export type { AgentInput, RunOptions } from './agent/define/run-options.ts';
export type { AgentCall, AgentFailure, AgentResult, AgentRunParts, AgentStep } from './agent/loop/agent-result.ts';
export type { AgentEvent } from './agent/loop/agent-result.ts';
export type { AgentUsage } from './agent/loop/agent-usage.ts';
export {
  type AgentConversation,
  type AgentSession,
  createMemorySession,
  listSessions,
  openSession,
  type AgentSessionInfo,
} from './agent/session/agent-session.ts';
export type { AgentTurnStep, AgentTurn } from './agent/session/agent-session.ts';
export type { TurnOptions } from './agent/session/turn-lock.ts';
export { readAgents, type ReadAgentsOptions } from './agent/define/read-agents.ts';
export { ModelMisuseError } from './agent/model/explain-model-failure.ts';
export type { AgentToolOptions } from './agent/loop/agent-tool.ts';
export type { AnyMessage, AnyModel, LanguageModel, ModelMessage, ToolSet } from './agent/model/ai-types.ts';
export type { Tracer } from './platform/telemetry/tracing.ts';
