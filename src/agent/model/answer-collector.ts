import type { GenerateResult, StreamPart } from './ai-types.ts';

type Content = GenerateResult['content'][number];
type Block = Extract<Content, { readonly type: 'text' | 'reasoning' }>;

/** Puts the pieces of a streamed answer together again. */
export class AnswerCollector {
  readonly #content: Content[] = [];
  /** Blocks by kind and id; some providers use an id for one of each. */
  readonly #open = new Map<string, Block>();
  #response: GenerateResult['response'];
  #result: GenerateResult | undefined;

  /** The whole answer; `undefined` until its end has come. */
  get result(): GenerateResult | undefined {
    return this.#result;
  }

  /** Takes the next piece. */
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
        // What the provider gives first of a result that is not done yet is given again.
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

/** The provider's latest metadata of a block counts: signatures come at its end. */
function describe(block: Block, { providerMetadata }: Pick<Block, 'providerMetadata'>): void {
  if (providerMetadata !== undefined) block.providerMetadata = providerMetadata;
}
