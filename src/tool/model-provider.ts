/** The providers whose models agents can name without a plugin. */
export const MODEL_PROVIDERS = ['openai', 'anthropic', 'openai-compatible', 'ollama', 'lmstudio', 'vllm'] as const;

/** Makes a language model of the AI SDK. Throws with what to set when it cannot. */
export type ModelProvider = (settings: ProviderSettings) => object;

/** What a provider is told about the model that it makes: what the config of an agent says. */
export interface ProviderSettings {
  readonly model: string;
  readonly baseUrl: string | undefined;
  readonly apiKey: string | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}
