/** @ts-ignore optional peer: its types are `any` where it is not installed. One line, which is all that this covers. */
// oxfmt-ignore
import type { AssistantModelMessage, LanguageModel, LanguageModelUsage, ModelMessage, ToolModelMessage, ToolSet } from 'ai';

export type { AssistantModelMessage, LanguageModel, LanguageModelUsage, ModelMessage, ToolModelMessage, ToolSet };

/** @ts-ignore optional peer: what the AI SDK's own module gives; `loadPeer` cannot know its types */
export type AiSdk = typeof import('ai');
