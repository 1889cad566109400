/** The model providers available without a plugin. */
export const MODEL_PROVIDERS = ['openai', 'anthropic', 'openai-compatible', 'ollama', 'lmstudio', 'vllm'] as const;

/** Creates a language model of the AI SDK. Throws an error that names the missing setting. */
export type ModelProvider = (settings: ProviderSettings) => object;

/** The settings of a model in the config of an agent. */
export interface ProviderSettings {
  readonly model: string;
  readonly baseUrl: string | undefined;
  readonly apiKey: string | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}
