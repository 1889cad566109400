import { ToolError } from '../../tool/tool-error.ts';

/** The reranker section of a config file. */
export interface RerankerConfig {
  /** `cohere`, `jina`, `vllm`, `tei`, or any other with Cohere's API and a `url`; `none` for no model. */
  readonly platform?: string | undefined;
  readonly model?: string | undefined;
  readonly api_key?: string | undefined;
  /** The address of the API, without `/rerank`. Default: the platform's. */
  readonly url?: string | undefined;
  /** Passages that the model orders. Default: 30. */
  readonly candidates?: number | undefined;
  /** Seconds until the search falls back to its own order. Default: 5. */
  readonly timeout?: number | undefined;
}

/** A reranker's server, resolved from a config. */
export interface RerankerPlatform {
  readonly name: string;
  /** Includes `/rerank`. */
  readonly url: string;
  /** `undefined` for a server with only one model. */
  readonly model: string | undefined;
  /** The API: Cohere's, or that of Text Embeddings Inference. */
  readonly dialect: 'cohere' | 'tei';
  /** The most texts in one request. */
  readonly mostTexts: number;
}

const PLATFORMS = [
  { name: 'cohere', url: 'https://api.cohere.com/v2', model: 'rerank-v3.5', needsKey: true },
  { name: 'jina', url: 'https://api.jina.ai/v1', model: 'jina-reranker-v2-base-multilingual', needsKey: true },
  { name: 'vllm', url: 'http://127.0.0.1:8000/v1', model: undefined, needsKey: false },
  { name: 'tei', url: 'http://127.0.0.1:8080', model: undefined, needsKey: false },
] as const;

/** TEI's default limit. */
const TEI_TEXTS = 32;
const MOST_TEXTS = 100;

/** Resolves a config. Throws `invalid_arguments` with the field if it cannot work. */
export function readReranker(config: RerankerConfig): RerankerPlatform {
  const wanted = config.platform ?? '';
  const known = PLATFORMS.find(({ name }) => name === wanted.toLowerCase());
  const names = PLATFORMS.map(({ name }) => name).join(', ');
  if (known === undefined && (wanted === '' || config.url === undefined))
    throw refuse('platform', `is "${wanted}", whose address is not known. Use one of ${names}, or add its url.`);
  const url = config.url ?? known?.url ?? '';
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol))
    throw refuse('url', `is "${url}". Use an http or https URL such as https://api.cohere.com/v2.`);
  const name = known?.name ?? wanted;
  const isTei = name === 'tei';
  const model = config.model ?? known?.model;
  if (model === undefined && !isTei) throw refuse('model', `is missing. Name a model that ${name} serves.`);
  if (known?.needsKey === true && config.url === undefined && !config.api_key) {
    const variable = `${name.toUpperCase()}_API_KEY`;
    throw refuse('api_key', `is missing. Give it as \${${variable}} and set ${variable} in the environment.`);
  }
  return {
    name,
    url: `${url.replace(/\/+$/, '').replace(/\/rerank$/, '')}/rerank`,
    model,
    dialect: isTei ? 'tei' : 'cohere',
    mostTexts: isTei ? TEI_TEXTS : MOST_TEXTS,
  };
}

function refuse(field: string, fault: string): ToolError {
  const message = `The reranker's ${field} ${fault}`;
  return new ToolError({ code: 'invalid_arguments', message, field, reason: fault });
}
