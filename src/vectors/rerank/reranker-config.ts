import { ToolError } from '../../tool/tool-error.ts';

/** Which model orders what a search found, as a config file says it. */
export interface RerankerConfig {
  /** `cohere`, `jina`, `vllm`, `tei`, any other that speaks Cohere's API, with its `url`; `none` for no model. */
  readonly platform?: string | undefined;
  readonly model?: string | undefined;
  readonly api_key?: string | undefined;
  /** The address of the API, up to but without `/rerank`. Default: that of the platform. */
  readonly url?: string | undefined;
  /** How many passages the model orders. Default: 30. */
  readonly candidates?: number | undefined;
  /** Seconds until the order without the model is used. Default: 5. */
  readonly timeout?: number | undefined;
}

/** What a config means. */
export interface RerankerPlatform {
  readonly name: string;
  /** With `/rerank`. */
  readonly url: string;
  /** `undefined` for a server that has only one. */
  readonly model: string | undefined;
  /** How its API speaks: as Cohere's, or as that of Text Embeddings Inference. */
  readonly dialect: 'cohere' | 'tei';
  /** Texts in one request at most. */
  readonly mostTexts: number;
}

const PLATFORMS = [
  { name: 'cohere', url: 'https://api.cohere.com/v2', model: 'rerank-v3.5', needsKey: true },
  { name: 'jina', url: 'https://api.jina.ai/v1', model: 'jina-reranker-v2-base-multilingual', needsKey: true },
  { name: 'vllm', url: 'http://127.0.0.1:8000/v1', model: undefined, needsKey: false },
  { name: 'tei', url: 'http://127.0.0.1:8080', model: undefined, needsKey: false },
] as const;

/** What TEI takes unless it was started with another limit. */
const TEI_TEXTS = 32;
const MOST_TEXTS = 100;

/** What a config means. Throws `invalid_arguments` with the field when it cannot work. */
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
