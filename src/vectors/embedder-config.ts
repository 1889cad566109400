import type { Embedder, EmbedderResources } from './embedder.ts';
import { ToolError } from '../tool/tool-error.ts';

/** The embedder section of a config file. */
export interface EmbedderConfig {
  /** `local`, or the service that hosts the model. Default: `openai`, which is any server with OpenAI's API. */
  readonly platform?: string | undefined;
  readonly model?: string | undefined;
  readonly api_key?: string | undefined;
  /** The address of the API, including `/v1`. Default: the platform's. */
  readonly url?: string | undefined;
  /** Numbers in a vector, for models that support fewer. */
  readonly dimensions?: number | undefined;
  /** Texts put before every query and every document, for models trained with them. */
  readonly query_prefix?: string | undefined;
  readonly document_prefix?: string | undefined;
  /** Texts in one request. Default: 96. */
  readonly batch_size?: number | undefined;
  /** Parallel requests. Default: 4. */
  readonly concurrency?: number | undefined;
  /** Default: no limit. */
  readonly requests_per_minute?: number | undefined;
}

/** Creates an embedder for a platform that a plugin provides. It sends nothing before the first text. */
export type MakeEmbedder = (config: EmbedderConfig, resources: EmbedderResources) => Embedder;

/** Finds the plugin's factory for this platform. */
export function findMaker(
  { platform = '' }: EmbedderConfig,
  makers: Readonly<Record<string, MakeEmbedder>>,
): MakeEmbedder | undefined {
  return Object.hasOwn(makers, platform.toLowerCase()) ? makers[platform.toLowerCase()] : undefined;
}

/** A model server with OpenAI's API. */
interface Platform {
  readonly name: string;
  readonly url: string;
  readonly model?: string;
  /** The dimensions of its models, where they are known in advance. */
  readonly models?: Readonly<Record<string, number>>;
  readonly needsKey?: boolean;
  /** The API's name for the number of dimensions. */
  readonly dimensionsField: string;
  /** True if requests say whether a text is a query or a document. */
  readonly saysInputType?: boolean;
}

/** The platforms with a known address. */
const PLATFORMS: readonly Platform[] = [
  {
    name: 'openai',
    url: 'https://api.openai.com/v1',
    model: 'text-embedding-3-small',
    models: { 'text-embedding-3-small': 1536, 'text-embedding-3-large': 3072, 'text-embedding-ada-002': 1536 },
    needsKey: true,
    dimensionsField: 'dimensions',
  },
  {
    name: 'voyage',
    url: 'https://api.voyageai.com/v1',
    model: 'voyage-3.5-lite',
    needsKey: true,
    dimensionsField: 'output_dimension',
    saysInputType: true,
  },
  { name: 'ollama', url: 'http://127.0.0.1:11434/v1', model: 'all-minilm', dimensionsField: 'dimensions' },
  { name: 'lmstudio', url: 'http://127.0.0.1:1234/v1', dimensionsField: 'dimensions' },
  { name: 'vllm', url: 'http://127.0.0.1:8000/v1', dimensionsField: 'dimensions' },
];

function findPlatform({ platform = 'openai' }: EmbedderConfig): Platform | undefined {
  return PLATFORMS.find(({ name }) => name === platform.toLowerCase());
}

/**
 * Returns the platform that a config names, with the config's URL and model if it has them. Throws if the platform
 * cannot be used.
 */
export function readPlatform(config: EmbedderConfig): Platform & { readonly model: string } {
  const wanted = config.platform ?? 'openai';
  const known = findPlatform(config);
  if (known === undefined && config.url === undefined) {
    const names = ['local', ...PLATFORMS.map(({ name }) => name)].join(', ');
    throw refuse('platform', `is "${wanted}", whose address is not known. Use one of ${names}, or add its url.`);
  }
  const platform = { dimensionsField: 'dimensions', ...known, name: known?.name ?? wanted };
  const url = config.url ?? known?.url ?? '';
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
    throw refuse('url', `is "${url}". Use an http or https URL such as https://api.openai.com/v1.`);
  }
  const model = config.model ?? known?.model;
  if (model === undefined) throw refuse('model', `is missing. Name a model that ${platform.name} serves.`);
  if (known?.needsKey === true && config.url === undefined && !config.api_key) {
    const variable = `${wanted.toUpperCase()}_API_KEY`;
    throw refuse('api_key', `is missing. Give it as \${${variable}} and set ${variable} in the environment.`);
  }
  return { ...platform, url, model };
}

const LOCAL_MODEL = 'all-MiniLM-L6-v2';

/** Numbers in its vectors. */
export const LOCAL_DIMENSION = 384;

/** Returns the dimension of a config's model, or `undefined` if only the server knows it. */
export function knownDimension(config: EmbedderConfig): number | undefined {
  if (isLocal(config)) return LOCAL_DIMENSION;
  // A private server may give a model any name.
  if (config.url !== undefined || config.dimensions !== undefined) return config.dimensions;
  const platform = findPlatform(config);
  return platform?.models?.[config.model ?? platform.model ?? ''];
}

/** Returns true if a config means the model that runs in this process. */
export function isLocal({ platform }: EmbedderConfig): boolean {
  return platform?.toLowerCase() === 'local';
}

/**
 * Returns the id of the embedder a config asks for. It contains every setting that affects the vectors, but not the
 * server's address.
 */
export function describeEmbedder(config: EmbedderConfig): string {
  if (isLocal(config)) {
    const { model = LOCAL_MODEL, dimensions = LOCAL_DIMENSION } = config;
    if (dimensions !== LOCAL_DIMENSION)
      throw refuse('dimensions', `is ${dimensions}. The local model gives ${LOCAL_DIMENSION} only; omit dimensions.`);
    if (/^(?:sentence-transformers\/)?all-minilm-l6-v2$/i.test(model)) return `local:${LOCAL_MODEL}`;
    throw refuse('model', `is "${model}". The local platform has ${LOCAL_MODEL} only; omit model.`);
  }
  const { name, model } = readPlatform(config);
  const { dimensions, query_prefix: query, document_prefix: document } = config;
  const rest = { ...(dimensions && { dimensions }), ...(query && { query }), ...(document && { document }) };
  return `${name}:${model}${Object.keys(rest).length === 0 ? '' : JSON.stringify(rest)}`;
}

export function refuse(field: string, fault: string): ToolError {
  const message = `The embedder's ${field} ${fault}`;
  return new ToolError({ code: 'invalid_arguments', message, field, reason: fault });
}
