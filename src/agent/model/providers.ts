import type { MODEL_PROVIDERS } from '../../tool/model-provider.ts';
import { dropUndefined } from './model-reply.ts';
import type { LanguageModel } from './ai-types.ts';

/** The options with which a provider's package creates a model. */
interface ModelOptions {
  readonly model: string;
  readonly provider: string;
  readonly baseUrl: string | undefined;
  readonly apiKey: string | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly api: 'responses' | 'chat' | undefined;
}

/** A provider and its way to create models. */
export interface ProviderInfo {
  /** The npm package, an optional peer. */
  readonly package: string;
  /** The environment variable with the key. */
  readonly keyVariable?: string;
  readonly urlVariable?: string;
  readonly isKeyNeeded: boolean;
  readonly needsUrl?: boolean;
  /** The default address. */
  readonly baseUrl?: string;
  /** The model used when only the key is set. */
  readonly defaultModel?: string;
  create(library: unknown, options: ModelOptions): LanguageModel;
}

const COMPATIBLE = {
  package: '@ai-sdk/openai-compatible',
  isKeyNeeded: false,
  create: (library: unknown, { model, provider, ...options }: ModelOptions): LanguageModel => {
    const { createOpenAICompatible } = library as typeof import('@ai-sdk/openai-compatible');
    const settings = { baseURL: '', ...toSettings(options) };
    return createOpenAICompatible({
      name: provider,
      includeUsage: true,
      supportsStructuredOutputs: true,
      ...settings,
    })(model);
  },
} as const satisfies ProviderInfo;

/** The providers that agents can name; create other models with the AI SDK in code. */
export const PROVIDERS: Readonly<Record<string, ProviderInfo>> = {
  openai: {
    package: '@ai-sdk/openai',
    keyVariable: 'OPENAI_API_KEY',
    urlVariable: 'OPENAI_BASE_URL',
    isKeyNeeded: true,
    defaultModel: 'gpt-5.4-mini',
    create: (library, { model, api, ...options }) => {
      const { createOpenAI } = library as typeof import('@ai-sdk/openai');
      const provider = createOpenAI(toSettings(options));
      return (api ?? defaultApi(options.baseUrl)) === 'chat' ? provider.chat(model) : provider(model);
    },
  },
  anthropic: {
    package: '@ai-sdk/anthropic',
    keyVariable: 'ANTHROPIC_API_KEY',
    urlVariable: 'ANTHROPIC_BASE_URL',
    isKeyNeeded: true,
    defaultModel: 'claude-sonnet-5',
    create: (library, { model, ...options }) => {
      const { createAnthropic } = library as typeof import('@ai-sdk/anthropic');
      return createAnthropic(toSettings(options))(model);
    },
  },
  'openai-compatible': { ...COMPATIBLE, keyVariable: 'OPENAI_COMPATIBLE_API_KEY', needsUrl: true },
  ollama: { ...COMPATIBLE, baseUrl: 'http://localhost:11434/v1' },
  lmstudio: { ...COMPATIBLE, baseUrl: 'http://localhost:1234/v1' },
  vllm: { ...COMPATIBLE, baseUrl: 'http://localhost:8000/v1' },
} satisfies Readonly<Record<(typeof MODEL_PROVIDERS)[number], ProviderInfo>>;

/** Other servers that speak OpenAI's format support Chat Completions; few support the Responses API. */
function defaultApi(baseUrl: string | undefined): 'responses' | 'chat' {
  return baseUrl === undefined || new URL(baseUrl).hostname.endsWith('openai.com') ? 'responses' : 'chat';
}

function toSettings({ baseUrl, apiKey, headers }: Pick<ModelOptions, 'baseUrl' | 'apiKey' | 'headers'>) {
  return dropUndefined({ baseURL: baseUrl, apiKey, headers: headers && { ...headers } });
}
