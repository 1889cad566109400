import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type * as TreeSitter from '@vscode/tree-sitter-wasm';
import { loadPeer } from '../../../platform/peers/load-peer.ts';

const PACKAGE = '@vscode/tree-sitter-wasm';

export interface CodeParser {
  /** Calls `read` with the root of the tree, then frees the tree. */
  parse<T>(text: string, read: (root: TreeSitter.Node) => T): T | undefined;
}

/** Loads each grammar on first use. Returns `undefined` if the package or the grammar is missing. */
export class CodeParsers {
  readonly #parsers = new Map<string, Promise<CodeParser | undefined>>();
  #library: Promise<typeof TreeSitter | undefined> | undefined;
  #isMissing = false;

  /** True if a grammar was requested and the package is not installed. */
  get isMissing(): boolean {
    return this.#isMissing;
  }

  get(grammar: string): Promise<CodeParser | undefined> {
    let parser = this.#parsers.get(grammar);
    if (parser === undefined) this.#parsers.set(grammar, (parser = this.#load(grammar)));
    return parser;
  }

  async #load(grammar: string): Promise<CodeParser | undefined> {
    this.#library ??= this.#start();
    const library = await this.#library;
    if (library === undefined) return undefined;
    const folder = dirname(fileURLToPath(import.meta.resolve(PACKAGE)));
    const language = await library.Language.load(await readFile(join(folder, `tree-sitter-${grammar}.wasm`)));
    const parser = new library.Parser().setLanguage(language);
    return {
      parse: (text, read) => {
        const tree = parser.parse(text);
        if (tree === null) return undefined;
        try {
          return read(tree.rootNode);
        } finally {
          tree.delete();
        }
      },
    };
  }

  async #start(): Promise<typeof TreeSitter | undefined> {
    try {
      // The package has its own types.
      const library = loadPeer(PACKAGE, 'Reading code by its structure') as typeof TreeSitter;
      await library.Parser.init();
      return library;
    } catch {
      this.#isMissing = true;
      return undefined;
    }
  }
}
