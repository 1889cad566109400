import { ToolError } from '../../tool/tool-error.ts';
import type { ModelProvider } from '../../tool/model-provider.ts';
import { loadPeer } from '../../platform/peers/load-peer.ts';
import type { ModelName } from '../define/agent.ts';
import type { LanguageModel } from './ai-types.ts';
import { PROVIDERS } from './providers.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the model of an agent. Throws with what to set or install if it cannot be created. */
export function resolveModel(
  model: LanguageModel | ModelName | undefined,
  agent: string,
  { env, providers = {} }: ModelSources,
): LanguageModel {
  const name = model ?? chooseModel(env, Object.keys(providers));
  if (!isModelName(name)) return name;
  const own = Object.hasOwn(providers, name.provider) ? providers[name.provider] : undefined;
  if (own === undefined) return createModel(name, agent, env);
  const { model: wanted, baseUrl, apiKey, headers } = name;
  // A plugin's provider returns a model of the AI SDK; anything else fails at the first request.
  return own({ model: wanted, baseUrl, apiKey, headers, env }) as LanguageModel;
}

/** Sources of models in addition to the built-in providers. */
interface ModelSources {
  readonly env: Environment;
  /** Providers from plugins, by name. */
  readonly providers?: Readonly<Record<string, ModelProvider>>;
}

function isModelName(model: LanguageModel | ModelName): model is ModelName {
  return typeof model === 'object' && 'model' in model && typeof model.model === 'string' && !('doGenerate' in model);
}

/** Chooses the model from the environment: `PEGBOARD_MODEL`, or the first provider whose key is set. */
export function chooseModel(env: Environment, others: readonly string[] = []): ModelName {
  const wanted = env['PEGBOARD_MODEL'] ?? '';
  if (wanted !== '') return parseModelName(wanted, 'PEGBOARD_MODEL', others);
  for (const [provider, { keyVariable, defaultModel }] of Object.entries(PROVIDERS)) {
    if (keyVariable !== undefined && defaultModel !== undefined && (env[keyVariable] ?? '') !== '')
      return { provider, model: defaultModel };
  }
  throw refuse(
    'model',
    [
      'No model is set. Do one of these:',
      '- export OPENAI_API_KEY=…, for OpenAI',
      '- export ANTHROPIC_API_KEY=…, for Anthropic',
      '- export PEGBOARD_MODEL=ollama/llama3.2, for a model on this machine (or lmstudio/…, vllm/…)',
      "- write provider and model under agents in pegboard.yaml; base_url is for any server that speaks OpenAI's format",
    ].join('\n'),
  );
}

/** Parses `provider/model`. Throws for any other format. */
export function parseModelName(text: string, where: string, others: readonly string[] = []): ModelName {
  const slash = text.indexOf('/');
  const [provider, model] = [text.slice(0, slash), text.slice(slash + 1)];
  const known = [...Object.keys(PROVIDERS), ...others];
  if (slash > 0 && model !== '' && known.includes(provider)) return { provider, model };
  const message = `${where} is "${text}"; it must be PROVIDER/MODEL, such as openai/gpt-5.4-mini. Providers: ${known.join(', ')}.`;
  throw refuse('model', message);
}

function createModel(name: ModelName, agent: string, env: Environment): LanguageModel {
  const info = Object.hasOwn(PROVIDERS, name.provider) ? PROVIDERS[name.provider] : undefined;
  if (info === undefined) {
    const known = Object.keys(PROVIDERS).join(', ');
    const message = `The agent "${agent}" names the provider "${name.provider}". Use one of: ${known}; or pass a model of the AI SDK.`;
    throw refuse('provider', message);
  }
  const uses = `The agent "${agent}" uses ${name.provider} and needs`;
  const baseUrl = name.baseUrl ?? info.baseUrl ?? (info.urlVariable === undefined ? undefined : env[info.urlVariable]);
  if (baseUrl === undefined && info.needsUrl === true) {
    const message = `${uses} an address: set base_url (in code baseUrl), such as http://localhost:8000/v1.`;
    throw refuse('base_url', message);
  }
  if ((baseUrl ?? '') !== '' && !URL.canParse(baseUrl ?? '')) {
    const message = `The address "${baseUrl}" of the agent "${agent}" is invalid: base_url (in code baseUrl) must be like http://localhost:8000/v1.`;
    throw refuse('base_url', message);
  }
  const apiKey = name.apiKey ?? (info.keyVariable === undefined ? undefined : env[info.keyVariable]);
  if ((apiKey ?? '') === '' && info.isKeyNeeded) {
    const message = `${uses} a key: set ${info.keyVariable} in the environment, or api_key (in code apiKey) of the agent.`;
    throw refuse('api_key', message);
  }
  const library = loadPeer(info.package, `The agent "${agent}" with the provider "${name.provider}"`, ['ai']);
  return info.create(library, {
    model: name.model,
    provider: name.provider,
    baseUrl: baseUrl === '' ? undefined : baseUrl,
    apiKey: apiKey === '' ? undefined : apiKey,
    headers: name.headers,
    api: name.api,
  });
}

function refuse(field: string, message: string): ToolError {
  return new ToolError({ code: 'invalid_arguments', message, field });
}
