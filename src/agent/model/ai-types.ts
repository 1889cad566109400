/** @ts-ignore optional peer: its types are `any` where it is not installed. One line, which is all that this covers. */
// oxfmt-ignore
import type { AssistantModelMessage, LanguageModel, LanguageModelUsage, ModelMessage, ToolModelMessage, ToolSet } from 'ai';

export type { AssistantModelMessage, LanguageModel, LanguageModelUsage, ModelMessage, ToolModelMessage, ToolSet };

/** @ts-ignore optional peer: what the AI SDK's own module gives; `loadPeer` cannot know its types */
export type AiSdk = typeof import('ai');

/** A model as providers write them for the AI SDK. */
export type ModelV4 = Extract<LanguageModel, { readonly specificationVersion: 'v4' }>;
export type ModelCallOptions = Parameters<ModelV4['doGenerate']>[0];
export type GenerateResult = Awaited<ReturnType<ModelV4['doGenerate']>>;
export type StreamPart =
  Awaited<ReturnType<ModelV4['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never;
/** A message as a provider gets it. */
export type PromptMessage = ModelCallOptions['prompt'][number];
/** A tool as a provider gets it. */
export type FunctionTool = Extract<NonNullable<ModelCallOptions['tools']>[number], { readonly type: 'function' }>;
