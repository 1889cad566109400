import { quoteText } from '../../tool/texts/reveal-hidden.ts';
import { NO_EDITOR } from './child-environment.ts';
import type { CapturedOutput } from '../outputs/output-capture.ts';
import { stripEscapes } from '../outputs/decode-output.ts';
import type { ProcessOutputs, Question, Wanted } from './process-request.ts';

/** The last parts of a command's output. */
interface PrintedTexts {
  readonly stdout: string;
  readonly stderr: string;
}

/** Bytes at the end of an output that are searched for a question. */
const TAIL = 4000;
/** Maximum characters of a question. */
const MAX_QUESTION = 300;
/** `[y/N]`, `(yes/no/[fingerprint])?` */
const CHOICE = String.raw`[[(](?:y(?:es)?\/no?|n\/y|y)(?:\/[^\n)]{1,40})?[\])]`;
const ASKS_CHOICE = new RegExp(String.raw`^[^\n]{0,300}?(?:\?\s*${CHOICE}|${CHOICE}\s*[?:])`, 'im');
const ENDS_WITH_CHOICE = new RegExp(String.raw`${CHOICE}\s*[?:>]?\s*$`, 'i');
const ASKS_SECRET =
  /^[^\n]{0,100}?(?:pass(?:word|phrase|code)|user ?name|login|verification code)\b[^\n:?]{0,100}[:?]/im;
const REPEATED = new RegExp(
  String.raw`[^\n]{0,100}?(?:\?\s*${CHOICE}|${CHOICE}\s*[?:]?|\?|please (?:answer|enter|type|choose)[^\n]{0,60})`,
  'gi',
);
/** Number of repetitions that make a question a repeated one. */
const OFTEN = 5;
const IS_SECRET = /pass(?:word|phrase|code)|user ?name|login|verification code|\bpin\b|\btoken\b|\botp\b/i;
/** Messages of programs that found no terminal or no input. */
const NO_TERMINAL =
  /^(?!pseudo-terminal).*(?:could not read (?:username|password)|terminal prompts disabled|terminal is required|no tty present|(?:not a|without a) (?:tty|terminal)|inappropriate ioctl for device|\/dev\/tty|eof when reading a line|eoferror|host key verification failed|cannot prompt).*$/im;

/** Messages of full-screen programs that found no terminal. */
const NO_SCREEN =
  /^.*(?:Vim: Warning: (?:Output|Input) is not|error opening terminal|failed tty get|TERM environment variable not set|terminal is not fully functional|cannot edit units if not on a tty|standard output is not a terminal).*$/im;
/** Escape sequences that enter and leave the alternate screen. */
const ALTERNATE = new RegExp(String.raw`\u001B\[\?(?:1049|1047|47)([hl])`, 'g');

/**
 * Finds the question that a command asked before it ended without an answer. In a failure, output may follow the question. In a success,
 * only an open question on stderr counts: `rm -i` ends this way without doing anything.
 */
export function findQuestion({ stdout, stderr }: PrintedTexts, isFailure: boolean): Question | undefined {
  const open = openPrompt(stderr) ?? (isFailure ? openPrompt(stdout) : choicePrompt(stdout));
  if (open !== undefined && (isFailure || /[?\])]\s*$/.test(open))) return { text: open.trim(), isAsked: true };
  if (!isFailure) return undefined;
  const editor = lineWith(NO_EDITOR, stderr) ?? lineWith(NO_EDITOR, stdout);
  if (editor !== undefined) return { text: editor, isAsked: false, wants: 'editor' };
  const screen = (NO_SCREEN.exec(stderr) ?? NO_SCREEN.exec(stdout))?.[0];
  if (screen !== undefined) return { text: screen.trim().slice(0, MAX_QUESTION), isAsked: false, wants: 'screen' };
  const terminal = (NO_TERMINAL.exec(stderr) ?? NO_TERMINAL.exec(stdout))?.[0];
  const asked =
    ASKS_CHOICE.exec(lastLines(stderr)) ??
    ASKS_CHOICE.exec(lastLines(stdout)) ??
    (terminal === undefined ? null : (ASKS_SECRET.exec(stderr) ?? ASKS_SECRET.exec(stdout)));
  if (asked !== null && terminal?.startsWith(asked[0]) !== true) return { text: asked[0].trim(), isAsked: true };
  return terminal === undefined ? undefined : { text: terminal.trim().slice(0, MAX_QUESTION), isAsked: false };
}

function lineWith(words: string, text: string): string | undefined {
  const line = text.split('\n').find((one) => one.includes(words));
  return line?.trim().slice(0, MAX_QUESTION);
}

/** Returns true when a command draws on the full screen, as editors and pagers do, by its escape sequences or a warning. */
export function drawsScreen({ stdout }: ProcessOutputs, { stderr }: PrintedTexts): boolean {
  if (NO_SCREEN.test(stderr)) return true;
  const bytes = stdout.type === 'whole' ? stdout.bytes : stdout.tail;
  return [...bytes.toString('latin1').matchAll(ALTERNATE)].at(-1)?.[1] === 'h';
}

/** Returns the last parts of a command's output as text. */
export function readEnds({ stdout, stderr }: ProcessOutputs): PrintedTexts {
  return { stdout: readEnd(stdout), stderr: readEnd(stderr) };
}

function readEnd(output: CapturedOutput): string {
  const bytes = output.type === 'whole' ? output.bytes : output.tail;
  return stripEscapes(bytes.subarray(-TAIL).toString('utf8'));
}

export function openPrompt(text: string): string | undefined {
  const line = text.slice(text.lastIndexOf('\n') + 1);
  // For programs that overwrite a line, only the last version counts.
  const shown = line.slice(line.lastIndexOf('\r') + 1);
  if (shown.trim() === '' || shown.length > MAX_QUESTION) return undefined;
  const isPrompt = /[?:>\])]\s+$/.test(shown) || ENDS_WITH_CHOICE.test(shown) || shown.endsWith('?');
  return isPrompt || (shown.endsWith(':') && IS_SECRET.test(shown)) ? shown : undefined;
}

function choicePrompt(text: string): string | undefined {
  const prompt = openPrompt(text);
  return prompt !== undefined && ENDS_WITH_CHOICE.test(prompt) ? prompt : undefined;
}

/** A short prompt repeated on one line: `Number: Number: `. */
const SAME_PROMPT = /([^\n]{1,80}[:>?] )\1{4,}$/;

/** Finds a question that an output repeats, as programs do that take the end of their input for a wrong answer. */
export function repeatedQuestion({ stdout, stderr }: PrintedTexts): string | undefined {
  for (const text of [stdout, stderr]) {
    const found = Map.groupBy(text.matchAll(REPEATED), ([asked]) => asked.trim());
    const often = [...found].flatMap(([asked, all]) => (all.length >= OFTEN ? [asked] : []));
    // The question says more than the complaint about a wrong answer.
    const asked = often.findLast((one) => one.includes('?')) ?? often.at(-1) ?? samePrompt(text);
    if (asked !== undefined) return asked;
  }
  return undefined;
}

/** Finds the prompt repeated at the end of a text: its shortest part, because two copies repeat as well. */
function samePrompt(text: string): string | undefined {
  const line = text.slice(text.lastIndexOf('\n') + 1).slice(-MAX_QUESTION * OFTEN);
  const asked = SAME_PROMPT.exec(line)?.[1];
  return asked === undefined ? undefined : (/^(.+?[:>?] )\1*$/.exec(asked)?.[1] ?? asked).trim();
}

const ANSWER =
  'Give the answer with the call: an option like --yes, or its standard input, where the tool has an argument for that (stdin: true).';

/** The remark about a command that keeps reading its empty input. */
export const READS_NOTHING = `[It may be asking something: it read its standard input again and again, which is empty, and commands run without a terminal. ${ANSWER}]`;

/** Builds the remark about a failed script with a prompt that shells show only on terminals. */
export function describeUnseen(prompt: string): string {
  return `[It may have asked ${quoteText(prompt.slice(0, MAX_QUESTION))}: prompts of \`read -p\` are shown on terminals only, and its standard input was empty. ${ANSWER}]`;
}

const ADVICE: Readonly<Record<Wanted, string>> = {
  editor:
    'It wanted to open an editor, and there is none. Give the text with the call: an option like --message or --file; or make the change with another tool.',
  screen:
    'It wants a whole screen, as editors and pagers do; commands run without a terminal. Give an option with which it prints and ends, such as --no-pager, --batch or --once; or use another tool.',
};

/** Builds the remark about a question for the model. */
export function describeQuestion({ text, isAsked, wants }: Question): string {
  if (wants !== undefined) return `[${ADVICE[wants]}]`;
  const told = isAsked
    ? `It asked ${quoteText(text)} and got no answer`
    : `It wanted to ask at a terminal: ${quoteText(text)}`;
  const advice = IS_SECRET.test(text)
    ? 'Its credentials must be where it finds them by itself, such as a key, a token or a credential helper.'
    : ANSWER;
  return `[${told}; commands run without a terminal. ${advice}]`;
}

function lastLines(text: string): string {
  return text.split('\n').slice(-10).join('\n');
}
