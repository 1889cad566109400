import type { GenerateResult, StreamPart } from './ai-types.ts';

type Content = GenerateResult['content'][number];
type Block = Extract<Content, { readonly type: 'text' | 'reasoning' }>;

/** Assembles the parts of a streamed answer. */
export class AnswerCollector {
  readonly #content: Content[] = [];
  /** Open blocks by kind and id; some providers use the same id once for each kind. */
  readonly #open = new Map<string, Block>();
  #response: GenerateResult['response'];
  #result: GenerateResult | undefined;

  /** The complete answer; `undefined` until its end has arrived. */
  get result(): GenerateResult | undefined {
    return this.#result;
  }

  add(part: StreamPart): void {
    switch (part.type) {
      case 'text-start':
      case 'reasoning-start': {
        const type = part.type === 'text-start' ? 'text' : 'reasoning';
        const block: Block = { type, text: '' };
        this.#open.set(`${type} ${part.id}`, block);
        this.#content.push(block);
        describe(block, part);
        break;
      }
      case 'text-delta':
      case 'text-end':
        this.#extend('text', part);
        break;
      case 'reasoning-delta':
      case 'reasoning-end':
        this.#extend('reasoning', part);
        break;
      case 'response-metadata':
        this.#response = { ...this.#response, ...part };
        break;
      case 'finish':
        this.#result = {
          content: this.#content,
          finishReason: part.finishReason,
          usage: part.usage,
          warnings: [],
          ...(part.providerMetadata === undefined ? {} : { providerMetadata: part.providerMetadata }),
          ...(this.#response === undefined ? {} : { response: this.#response }),
        };
        break;
      case 'stream-start':
      case 'tool-input-start':
      case 'tool-input-delta':
      case 'tool-input-end':
      case 'ping':
      case 'raw':
      case 'error':
        break;
      case 'tool-result':
        // The final result repeats preliminary ones.
        if (part.preliminary !== true) this.#content.push(part);
        break;
      default:
        this.#content.push(part);
    }
  }

  #extend(type: Block['type'], part: Extract<StreamPart, { readonly id: string }>): void {
    const block = this.#open.get(`${type} ${part.id}`);
    if (block === undefined) return;
    if ('delta' in part) block.text += part.delta;
    describe(block, part);
  }
}

/** The latest metadata of a block wins: signatures come at its end. */
function describe(block: Block, { providerMetadata }: Pick<Block, 'providerMetadata'>): void {
  if (providerMetadata !== undefined) block.providerMetadata = providerMetadata;
}
