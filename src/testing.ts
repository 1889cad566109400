export {
  type ScriptedCall,
  scriptedModel,
  type ScriptedModel,
  type ScriptedModelOptions,
  type ScriptedReply,
  type ScriptStep,
} from './testing/scripted-model.ts';
export type { ScriptedRequest, ToldResult } from './testing/scripted-model.ts';
export { recordModel, type RecordOptions } from './testing/record-model.ts';
export { type ReplayModel, replayModel, type ReplayOptions } from './testing/replay-model.ts';
export { type FakeCall, type FakeSource, fakeTool, type FakeTool, inTurn } from './testing/fake-tool.ts';
export {
  assertCalled,
  type CallSource,
  checkCalled,
  checkCalls,
  toolMatchers,
  type ToolMatchers,
} from './testing/tool-matchers.ts';
export { checkTool } from './testing/check-tool.ts';
export { ModelMisuseError } from './agent/model/explain-model-failure.ts';
export { createTestEmbedder, type TestEmbedderOptions } from './vectors/test-embedder.ts';
export type { ContractCheck } from './testing/contracts/contract.ts';
export { boardStoreContract, type BoardStoreSubject } from './testing/contracts/board-store-contract.ts';
export { vectorStoreContract } from './testing/contracts/vector-store-contract.ts';
export type { VectorStoreSubject } from './testing/contracts/store-subject.ts';
export { embedderContract, type EmbedderSubject } from './testing/contracts/embedder-contract.ts';
export { kindContract } from './testing/contracts/kind-contract.ts';
export type { KindCall, KindInput, KindSample, KindSubject } from './testing/contracts/kind-subject.ts';
export {
  type DefinedExporterSubject,
  type ExportedCall,
  type ExportedTool,
  exporterContract,
  type ExporterSubject,
} from './testing/contracts/exporter-contract.ts';
export { callFormatContract, type CallFormatSubject } from './testing/contracts/call-format-contract.ts';
export type { GenerateResult, ModelCallOptions, ModelV4 } from './agent/model/ai-types.ts';
export type { AnswersInTurn } from './testing/fake-tool.ts';
export type { Verdict } from './testing/tool-matchers.ts';
