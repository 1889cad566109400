/** One thing that was looked at. */
export interface Check {
  readonly kind:
    | 'config'
    | 'node'
    | 'command'
    | 'variable'
    | 'host'
    | 'script'
    | 'server'
    | 'store'
    | 'collection'
    | 'model'
    | 'sandbox'
    | 'limits'
    | 'processes'
    | 'lock'
    | 'text';
  readonly name: string;
  /** `missing` is something that tools cannot do without. */
  readonly status: 'ok' | 'warning' | 'missing';
  readonly detail: string;
  /** The tools that need it. */
  readonly tools: readonly string[];
}

/** Tools by what they need. */
export class Needs {
  readonly #tools = new Map<string, Set<string>>();

  add(need: string, tool: string): void {
    const tools = this.#tools.get(need) ?? new Set();
    this.#tools.set(need, tools.add(tool));
  }

  /** Each need with the tools that have it, in the order they came. */
  list(): { readonly need: string; readonly tools: readonly string[] }[] {
    return [...this.#tools].map(([need, tools]) => ({ need, tools: [...tools] }));
  }
}
