/** A place in a pattern that V8 has accepted, and the rules it is read by. */
export class PatternCursor {
  readonly source: string;
  readonly unicode: boolean;
  /** How many groups the whole pattern captures: a plain `\2` is a reference only when there are two. */
  readonly groups: number;
  readonly hasNamedGroups: boolean;
  index = 0;
  /** The inline flags that hold here. */
  ignoreCase = false;
  dotAll = false;

  constructor(source: string, unicode: boolean) {
    this.source = source;
    this.unicode = unicode;
    // The empty alternative comes first, so that nothing of the pattern itself runs.
    const match = new RegExp(`|${source}`, unicode ? 'u' : '').exec('');
    this.groups = (match?.length ?? 1) - 1;
    this.hasNamedGroups = match?.groups !== undefined;
  }

  /** The highest code a character can have. */
  get top(): number {
    return this.unicode ? 0x10ffff : 0xffff;
  }

  get done(): boolean {
    return this.index >= this.source.length;
  }

  peek(offset = 0): string {
    return this.source.charAt(this.index + offset);
  }

  /** Steps over one character under Unicode rules, one UTF-16 unit under plain ones. */
  next(): string {
    const code = this.unicode ? this.source.codePointAt(this.index) : undefined;
    const char = code === undefined ? this.peek() : String.fromCodePoint(code);
    this.index += char.length;
    return char;
  }

  /** Steps over a text when it is here. */
  eat(text: string): boolean {
    if (!this.source.startsWith(text, this.index)) return false;
    this.index += text.length;
    return true;
  }

  /** Steps over what a sticky expression matches here, and gives its groups. */
  take(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.index;
    const match = expression.exec(this.source);
    if (match === null) return undefined;
    this.index += match[0].length;
    return match;
  }
}
