export {
  createTool,
  type CallFirst,
  type DraftTypes,
  type ToolDraft,
  type NothingYet,
} from './tool/define/create-tool.ts';
export { defineTool, type ToolSpec } from './tool/define/define-tool.ts';
export { ToolDefinition } from './tool/define/tool-definition.ts';
export { ToolParameter, type ToolParameterOptions } from './tool/tool-parameter.ts';
export { ToolCategory } from './tool/tool-metadata.ts';
export { ToolContext, type ToolLog } from './tool/tool-context.ts';
export {
  ToolResult,
  type ModelOutput,
  type ToolContent,
  type ToolFailure,
  type ToolResultBase,
  type ToolResultMakers,
  type ToolResultMeta,
  type ToolResultParts,
  type ToolSuccess,
} from './tool/tool-result.ts';
export {
  ToolAlreadyExistsError,
  ToolError,
  type ProtocolError,
  type ToolErrorCode,
  type ToolErrorOptions,
  ToolExecutionError,
  type ToolIssue,
} from './tool/tool-error.ts';
export type {
  ArgumentRisk,
  ToolAnnotations,
  ToolExample,
  ToolIcon,
  ToolMetadata,
  ToolRisk,
} from './tool/tool-metadata.ts';
export type { DataOf, OnlyObjects, OutputUnder, SchemaInput, SchemaOutput, ToolSchema } from './tool/schema-types.ts';
export type { LangChainTool, Tool, Validation } from './tool/tool.ts';
export type { ToolCall } from './tool/tool.ts';
export type { JsonSchema } from './tool/json.ts';
export type { Embedder, EmbedOptions } from './vectors/embedder.ts';
export { createDiscoveryTools, type DiscoveryToolsOptions } from './discovery/meta-tools/create-discovery-tools.ts';
export { isDiscoveryTool } from './tool/tool-marks.ts';
export { estimateTokens } from './discovery/tokens/estimate-tokens.ts';
export {
  createTokenLedger,
  type LedgerSource,
  type ModeTokens,
  type SourceTokens,
  type TokenLedger,
  type TokenLedgerOptions,
  type ToolTokens,
} from './discovery/tokens/token-ledger.ts';
export type { FormatTokens, TokenCounter, TokenizerName } from './discovery/tokens/token-ledger.ts';
export { ToolIndex, type ToolIndexOptions } from './discovery/tool-index.ts';
export {
  evaluate,
  type EvalMiss,
  type EvalQuery,
  type EvaluateOptions,
  type Evaluation,
} from './discovery/eval/evaluate.ts';
export type { Doubt, DoubtShares, Measure, Measures } from './discovery/eval/measures.ts';
export {
  createLearner,
  type LearnedCall,
  type Learner,
  type LearnerOptions,
} from './discovery/learn/create-learner.ts';
export type { LearnedLimits, LearnedStore } from './discovery/learn/create-learner.ts';
export type { EmbedderConfig, MakeEmbedder } from './vectors/embedder-config.ts';
export { createEmbedder } from './vectors/create-embedder.ts';
export type { EmbedderResources } from './vectors/embedder.ts';
export {
  type BoardFile,
  type BoardLike,
  type BoardParts,
  type BoardPeer,
  type CallQuery,
  type KnownCall,
  toBoardParts,
} from './discovery/board-like.ts';
export type { ToolIndexEntry } from './discovery/indexed-tool.ts';
export type { ClosestGroups, RankedHit, RankedResult, WordMatch } from './discovery/rank-tools.ts';
export type { FindOptions, RankOptions, SearchOptions } from './discovery/search-options.ts';
export type { GroupCounts, SourceSummary, ToolGroups } from './discovery/group-counter.ts';
export { defineKind, type KindDefinition } from './kinds/define-kind.ts';
export type {
  CheckContext,
  DescribedLine,
  DoctorContext,
  DryCall,
  EntryFault,
  EntryPath,
  EntryUse,
  Environment,
  Kind,
  KindHost,
  KindMethods,
  KindTools,
  ReadContext,
  ServerToolPlace,
  ToolEntry,
} from './kinds/kind.ts';
export type { DoctorFinding } from './kinds/kind.ts';
export {
  type ApiOf,
  defineFeature,
  type Feature,
  type FeatureDefinition,
  type FeatureHost,
} from './load/features/feature.ts';
export type { BoardHost, FeatureCheck, FeatureEvents } from './load/features/feature-host.ts';
export type { ToolOffer } from './load/features/tool-list.ts';
export type {
  FeatureFinding,
  FeatureRows,
  ListedBoard,
  OpenFeature,
  PassedTool,
} from './load/features/open-feature.ts';
export type { Refusal } from './load/features/tool-list.ts';
export type {
  ArgumentSpec,
  CommandAnswer,
  CommandEntry,
  CommandGroup,
  CommandView,
  OptionSpec,
  OptionSpecs,
  TextStyle,
} from './load/features/feature-command.ts';
export {
  type BoardCommandSpec,
  type Command,
  type CommandInput,
  type CommandOutcome,
  type CommandSpec,
  type CommandTexts,
  defineCommand,
  type FileOptions,
  type OptionValue,
  type OptionValues,
} from './cli/shared/command.ts';
export type { BoardUse } from './cli/shared/board/use-board.ts';
export type { ServerWish } from './cli/shared/board/meet-servers.ts';
export type { CliContext } from './cli/shared/cli-context.ts';
export type { CliOutput } from './cli/shared/print/gate-output.ts';
export {
  type Merge,
  type Placed,
  type Section,
  section,
  type Sections,
  type SettingsOf,
} from './load/features/section.ts';
export { definePlugin, type Plugin, type PluginDefinition } from './load/plugins/define-plugin.ts';
export type { ModelProvider, ProviderSettings } from './tool/model-provider.ts';
export type { MadePath, ToolPaths } from './guard/policy/tool-paths.ts';
export type { NamedSecret } from './guard/secrets/secret-names.ts';
export type {
  ApprovalLevel,
  ApprovedCall,
  ArgumentLimits,
  OfferRule,
  OfferRules,
  PolicyNames,
  PolicyRule,
  PolicySection,
  PolicySelector,
  ServerQuestion,
  ToolRules,
} from './guard/policy/policy-section.ts';
export { type BoardOptions, openBoard } from './open-board.ts';
export type { BoardCore, BoardEvents, BoardFeature, UnavailableTool } from './board/board-core.ts';
export type { Board, BoardViews, ReadyOptions } from './board/board.ts';
export type { OpenBoardOptions } from './board/open-board-options.ts';
export type { BoardMode } from './load/board-mode.ts';
export type { ApproveChanges } from './guard/lock/compare-pins.ts';
export type { BoardLock } from './features/lock/board-lock.ts';
export type { BoardChanges, ChangeReply, WaitingChange } from './guard/approval/waiting-change.ts';
export type { BoardServer } from './features/servers/to-board-server.ts';
export type { LockChange } from './guard/lock/compare-pins.ts';
export type { TextFinding } from './guard/lock/inspect-description.ts';
export type { Answers, Ask, AskQuestion, LoginPage, Questions, Reach } from './tool/calls/ask.ts';
export type { AskedPerson, Elicit, ElicitRequest, ElicitResult, QuestionOrigin } from './tool/calls/elicitation.ts';
export type {
  BoardOffers,
  OfferLog,
  Completion,
  CompletionRequest,
  OfferedItem,
  OfferPlace,
  OfferRequest,
  OfferResult,
  OfferSource,
  SkillEntry,
} from './tool/offers.ts';
export type { ClientApp } from './tool/calls/call-owner.ts';
export type { LentModel, Sample, SampleRequest, SampleResult } from './tool/calls/elicitation.ts';
export { frameQuestion, type FramedQuestion } from './tool/texts/frame-question.ts';
export type {
  ApprovalRecord,
  ApprovalScope,
  ApprovalStatus,
  GivenAnswer,
} from './guard/approval/kept/approval-record.ts';
export type {
  ApprovalFilter,
  ApprovalReply,
  BoardApprovals,
  PolicyLine,
} from './guard/approval/kept/approval-record.ts';
export type {
  BoardCalls,
  CallFilter,
  CallListOptions,
  CallRequest,
  FailedAttempt,
  RecordedCall,
  RecordedQuestion,
} from './features/record/board-calls.ts';
export type { ChainPoint } from './features/record/audit/audit-chain.ts';
export type { AuditQuery, BoardAudit } from './features/record/board-recording.ts';
export type { AuditProblem, AuditReport, SinkPoint } from './features/record/audit/verify-audit.ts';
export type {
  BegunCall,
  BegunRun,
  CallRecorder,
  CallStage,
  CallTrail,
  RunFacts,
  RunTrail,
} from './pipeline/call-recorder.ts';
export type { SealedStore, SealedTransaction } from './platform/store/sealed-space.ts';
export type {
  AppendOptions,
  BoardStore,
  CountOptions,
  EntriesOptions,
  JournalLine,
  JournalQuery,
  JournalRemoval,
  LeaseOptions,
  OwnedRecordOptions,
  RecordCount,
  RecordKey,
  RecordOptions,
  StoreAccess,
  StoreBytes,
  StoreJournal,
  StoreLease,
  StoreSpace,
  StoreStatus,
  StoreTransaction,
  StoreTransactionOptions,
  StoredLine,
  StoredPiece,
  StoredRecord,
} from './platform/store/board-store.ts';
export type { AnsweredCall, CallApproval } from './tool/calls/call-runtime.ts';
export type {
  ApprovalAnswer,
  ApprovalNotify,
  ApprovalRequest,
  Approve,
  Denial,
  Permission,
  WaitingQuestion,
  ApprovalOutcome,
  ApprovalTerms,
} from './tool/calls/approval.ts';
export { ConfigError, type Diagnostic, formatDiagnostic, type FilePlace } from './load/diagnostics/diagnostic.ts';
export type { LoadedFile } from './load/loaded-file.ts';
export type { DryVerdict } from './guard/approval/guard.ts';
export type { DryAction, DryCommand, DryKnowledge, DryRequest, DryRun, DryStep } from './kinds/kind.ts';
export { parseRagToolConfig, type RagToolConfig } from './kinds/rag/rag-tool-config.ts';
export { ToolExecutor } from './pipeline/tool-executor.ts';
export type { CallGuard, GuardRequest, ReserveCall, SettleCall } from './tool/calls/call-bounds.ts';
export type { ExecutorEvents, ExecutorOptions } from './pipeline/executor-options.ts';
export type { Clock } from './pipeline/deadlines.ts';
export type { CancelSignal } from './tool/calls/cancellation.ts';
export type { CallOptions } from './pipeline/call-options.ts';
export type { CallLogEntry, CallProgress } from './pipeline/call-options.ts';
export type {
  AfterExecute,
  BeforeExecute,
  HookName,
  HookOptions,
  HookOutcome,
  HookPayloads,
  ToolHook,
  ToolHooks,
} from './pipeline/tool-hooks.ts';
export type { AbsentTools, Absence, ArrivalWish } from './board/registry/absent-tools.ts';
export {
  ToolRegistry,
  type Registrable,
  type RegisterOptions,
  type RegistryEvents,
  type RegistryOptions,
  type SubsetOptions,
  type ToolListing,
} from './board/registry/tool-registry.ts';
export type {
  AnyName,
  CallArguments,
  CallName,
  CallResult,
  ItemOf,
  Known,
  KnownTools,
  RegistryOf,
} from './board/registry/known-tools.ts';
export { generatePrompt, type PromptOptions, type PromptTool } from './export/prompt.ts';
export {
  type OpenAIChatTool,
  type OpenAIExportOptions,
  type OpenAIFunction,
  type OpenAIResponsesTool,
  type OpenAIToolMessage,
  type OpenAIToolOutput,
  parseOpenAICalls,
  toOpenAIToolMessages,
  toOpenAIToolOutputs,
  toOpenAITools,
} from './export/openai.ts';
export {
  type AnthropicResultBlock,
  type AnthropicExportOptions,
  type AnthropicTool,
  type AnthropicToolMessage,
  type AnthropicToolResult,
  parseAnthropicCalls,
  toAnthropicToolMessage,
  toAnthropicTools,
} from './export/anthropic.ts';
export {
  type GeminiFunctionDeclaration,
  type GeminiToolMessage,
  parseGeminiCalls,
  toGeminiToolMessage,
  toGeminiTools,
} from './export/gemini.ts';
export { type McpCallResult, type McpTool, parseMcpCall, toMcpCallResult, toMcpTools } from './export/mcp.ts';
export type { ProgrammaticOptions } from './export/exporter.ts';
export type { ExportOptions, ExportResult } from './export/exporter.ts';
export type { NameTable } from './export/name-table.ts';
export {
  formatReport,
  type PortabilityAction,
  type PortabilityEntry,
  type PortabilityReport,
} from './export/portability-report.ts';
export type { DiscoveryTools } from './features/discovery/discovery-settings.ts';
export type { IndexSource, IndexedBoard, IndexedConfig } from './discovery/index-source.ts';
export type { SourceInfo } from './discovery/indexed-tool.ts';
export type { DiscoveryIndex, DiscoveryTarget } from './discovery/meta-tools/discovery-view.ts';
export type { Field } from './discovery/ranking/ranking-weights.ts';
export type { PageOptions, ToolFilter } from './discovery/search-options.ts';
export type {
  InstructionPins,
  LockPins,
  LockReading,
  OfferPins,
  PackagePin,
  PackagePins,
  PluginPins,
  QueryPins,
  ToolPins,
} from './guard/lock/lock-file.ts';
export type { PinnedDefinition, ToolPin } from './guard/lock/tool-pin.ts';
export type { Redactor, TextGate } from './guard/secrets/redactor.ts';
export type { RagOperation } from './kinds/rag/rag-tool-config.ts';
export type { Dialect } from './load/dialects/detect-dialect.ts';
export type { LockMode, OffPart } from './load/loaded-file.ts';
export type { BoardLogin } from './features/logins/feature.ts';
export type { OAuthLogin } from './platform/oauth/oauth-settings.ts';
export type { ServerStatus } from './mcp/client/shared-server.ts';
export type { StartFailure } from './mcp/client/start-failures.ts';
export type { UpstreamStatus } from './mcp/client/upstream-server.ts';
export type { CallLease } from './pipeline/executor-options.ts';
export type { EgressPolicy, EgressTarget } from './platform/http/egress.ts';
export type { HttpClient } from './platform/http/http-client.ts';
export type { HttpClock } from './platform/http/retry-request.ts';
export type { KeptText, OutputAccess, OutputStore } from './platform/outputs/output-store.ts';
export type { OutputSink } from './platform/outputs/output-writer.ts';
export type { OutputPage, PageRange } from './platform/outputs/output-lines.ts';
export type { OutputMatch, OutputMatches, OutputSearch } from './platform/outputs/search-lines.ts';
export type { OutputWriter, StoredOutput } from './platform/outputs/output-writer.ts';
export type { ProcessLimits, ProcessQueue } from './platform/process/process-queue.ts';
export type { PlainTool, ToolClass } from './tool/define/parse-tool.ts';
export type { Installed } from './tool/tool.ts';
export type { CallRuntime } from './tool/tool-context.ts';
