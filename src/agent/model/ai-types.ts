import type { Installed } from '../../tool/tool.ts';
/** @ts-ignore optional peer */
import type * as ai from 'ai';

/** A message, as typed without the AI SDK. */
export interface AnyMessage {
  readonly role: string;
  readonly content: unknown;
}

/** A model, as typed without the AI SDK. */
export interface AnyModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
}

/** A message of a conversation. As with all types here, the AI SDK's own type if it is installed. */
export type ModelMessage = Installed<ai.ModelMessage, AnyMessage>;
/** A message of the model. */
export type AssistantModelMessage = Installed<ai.AssistantModelMessage, AnyMessage>;
/** A message with tool results. */
export type ToolModelMessage = Installed<ai.ToolModelMessage, AnyMessage>;
/** A model of the AI SDK, or the name of one. */
export type LanguageModel = Installed<ai.LanguageModel, string | AnyModel>;
/** The tokens that a model used. */
export type LanguageModelUsage = Installed<ai.LanguageModelUsage, Readonly<Record<string, unknown>>>;
/** Tools as the AI SDK takes them. */
export type ToolSet = Installed<ai.ToolSet, Record<string, unknown>>;

/** @ts-ignore optional peer: the AI SDK's own module; `loadPeer` cannot know its types */
export type AiSdk = typeof import('ai');

type V4 = Extract<ai.LanguageModel, { readonly specificationVersion: 'v4' }>;
type V4Options = Parameters<V4['doGenerate']>[0];

/** A model as providers implement it for the AI SDK. */
export type ModelV4 = Installed<V4, AnyModel>;
/** A request to a provider's model. */
export type ModelCallOptions = Installed<V4Options, Readonly<Record<string, unknown>>>;
/** The answer of a provider's model. */
export type GenerateResult = Installed<
  Awaited<ReturnType<V4['doGenerate']>>,
  { readonly finishReason: { readonly unified: string } }
>;
/** A part of a streamed answer. */
export type StreamPart =
  Awaited<ReturnType<V4['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never;
/** A message as sent to a provider. */
export type PromptMessage = V4Options['prompt'][number];
/** A tool as sent to a provider. */
export type FunctionTool = Extract<NonNullable<V4Options['tools']>[number], { readonly type: 'function' }>;
