/** A tool call as data, converted from any provider, protocol or form. */
export interface ToolCall {
  readonly id: string;
  /** The tool's name on the board. */
  readonly name: string;
  /** The arguments; `undefined` when they could not be parsed: see `malformed`. */
  readonly input: unknown;
  /** Set to the reason when the arguments were not valid JSON. */
  readonly malformed?: string;
  /** The provider's data about a program of its own that made the call. It is returned with the result. */
  readonly caller?: Readonly<Record<string, unknown>>;
}
