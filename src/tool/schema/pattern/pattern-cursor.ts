/** A position in a pattern that V8 accepts, and the rules for parsing it. */
export class PatternCursor {
  readonly source: string;
  readonly unicode: boolean;
  /** Number of capturing groups: with plain rules, `\2` is a reference only if there are two. */
  readonly groups: number;
  readonly hasNamedGroups: boolean;
  index = 0;
  /** The inline flags at this position. */
  ignoreCase = false;
  dotAll = false;

  constructor(source: string, unicode: boolean) {
    this.source = source;
    this.unicode = unicode;
    // The empty alternative comes first, so that the pattern itself does not run.
    const match = new RegExp(`|${source}`, unicode ? 'u' : '').exec('');
    this.groups = (match?.length ?? 1) - 1;
    this.hasNamedGroups = match?.groups !== undefined;
  }

  /** The highest character code. */
  get top(): number {
    return this.unicode ? 0x10ffff : 0xffff;
  }

  get done(): boolean {
    return this.index >= this.source.length;
  }

  peek(offset = 0): string {
    return this.source.charAt(this.index + offset);
  }

  /** Reads one character with Unicode rules, one UTF-16 unit with plain ones. */
  next(): string {
    const code = this.unicode ? this.source.codePointAt(this.index) : undefined;
    const char = code === undefined ? this.peek() : String.fromCodePoint(code);
    this.index += char.length;
    return char;
  }

  /** Skips a text if it is next. */
  eat(text: string): boolean {
    if (!this.source.startsWith(text, this.index)) return false;
    this.index += text.length;
    return true;
  }

  /** Skips the match of a sticky expression and returns its groups. */
  take(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.index;
    const match = expression.exec(this.source);
    if (match === null) return undefined;
    this.index += match[0].length;
    return match;
  }
}
