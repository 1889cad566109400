import type { Keys } from './terminal.test-helper.ts';

/** A step of a page: a file to write, or a command to type. */
export type StoryStep =
  | { readonly type: 'file'; readonly at: string; readonly path: string; readonly text: string }
  | ({ readonly type: 'command'; readonly at: string } & StoryCommand);

interface StoryCommand {
  readonly line: string;
  /** The expected output of the terminal; `…` matches anything. */
  readonly expected: string;
  readonly marks: CommandMarks;
}

/** Settings from the comments before a `console` block. Pages tell readers the same in words. */
interface CommandMarks {
  /** `<!-- fails -->`: the exit code is not 0. */
  readonly fails: boolean;
  /** `<!-- keeps running -->`: runs in a terminal of its own until the story ends. */
  readonly keepsRunning: boolean;
  /** `<!-- when "Allow" shows, press "y" -->`: what is typed into the command. */
  readonly keys: Keys;
}

const BLOCK = /^(?<before>(?:<!--[^\n]*-->\n\n?|`[^`\n]+`:\n\n)*)^```(?<kind>\S*)[^\n]*\n(?<text>.*?)^```$/gms;
const NAMED = /^(?:#|\/\/|--|<!--) ?(?<path>[\w./-]+\.\w+)(?: -->)?\n/;

/**
 * Reads the steps of a page, in order. A block is a file when its first line is a comment with the file's name, or when the line above
 * it is the name: `notes.md`. A `console` block is a terminal: `$` before what is typed, `>` before its further lines, then what shows.
 */
export function readStory(page: string, markdown: string): StoryStep[] {
  return [...markdown.matchAll(BLOCK)].flatMap(({ groups, index }): StoryStep[] => {
    const { before = '', kind = '', text = '' } = groups ?? {};
    const at = `${page}:${markdown.slice(0, index + before.length).split('\n').length}`;
    if (kind === 'console')
      return readCommands(text, readMarks(before)).map((step) => ({ type: 'command', at, ...step }));
    const path = /^`([^`\n]+)`:$/m.exec(before)?.[1] ?? NAMED.exec(text)?.groups?.['path'];
    return path === undefined ? [] : [{ type: 'file', at, path, text }];
  });
}

function readMarks(before: string): CommandMarks {
  return {
    fails: before.includes('<!-- fails -->'),
    keepsRunning: before.includes('<!-- keeps running -->'),
    keys: [...before.matchAll(/<!-- when (".+?") shows, press (".+?") -->/g)].map(([, shown, pressed]) => [
      JSON.parse(shown ?? '""'),
      JSON.parse(pressed ?? '""'),
    ]),
  };
}

function readCommands(block: string, marks: CommandMarks): StoryCommand[] {
  return block
    .split(/^\$ /m)
    .slice(1)
    .map((step) => {
      const [first = '', ...rest] = step.split('\n');
      const end = rest.findIndex((line) => !line.startsWith('> '));
      const line = [first, ...rest.slice(0, end).map((more) => more.slice(2))].join('\n');
      return { line, expected: rest.slice(end).join('\n'), marks };
    });
}

/** Matches what a page shows, where `…` stands for anything. Blanks at the ends of lines do not count. */
export function toPattern(expected: string, { isWhole }: { readonly isWhole: boolean }): RegExp {
  const parts = trimLines(expected)
    .split('…')
    .map((part) => part.replaceAll(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`));
  return new RegExp(`^${parts.join('[^]*')}${isWhole ? '$' : ''}`);
}

/** A text without blanks at the ends of its lines and without empty lines at its end. */
export function trimLines(text: string): string {
  return text.replaceAll(/[ \t]+$/gm, '').trimEnd();
}
