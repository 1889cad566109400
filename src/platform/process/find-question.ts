import { quoteText } from '../../tool/texts/reveal-hidden.ts';
import type { CapturedOutput } from '../outputs/output-capture.ts';
import { stripEscapes } from '../outputs/strip-escapes.ts';
import type { ProcessOutputs } from './process-request.ts';

/** The ends of a command's two streams. */
export interface PrintedTexts {
  readonly stdout: string;
  readonly stderr: string;
}

/** What a command wanted to know, or that it found no terminal to ask at. */
export interface Question {
  readonly text: string;
  readonly isAsked: boolean;
}

/** Bytes at the end of an output in which a question is looked for. */
const TAIL = 4000;
/** Characters of a question. */
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
/** How often a question is asked that repeats itself. */
const OFTEN = 5;
const IS_SECRET = /pass(?:word|phrase|code)|user ?name|login|verification code|\bpin\b|\btoken\b|\botp\b/i;
/** What programs say that found no terminal, or nothing to read. */
const NO_TERMINAL =
  /^(?!pseudo-terminal).*(?:could not read (?:username|password)|terminal prompts disabled|terminal is required|no tty present|(?:not a|without a) (?:tty|terminal)|inappropriate ioctl for device|\/dev\/tty|eof when reading a line|eoferror|host key verification failed|cannot prompt).*$/im;

/**
 * What a command asked, by what it printed, where it ended without an answer. In a failure a question may stand before what it said to
 * that; in a success only one that is still open counts, on the stream for messages: `rm -i` ends so, and has done nothing.
 */
export function findQuestion({ stdout, stderr }: PrintedTexts, isFailure: boolean): Question | undefined {
  const open = openPrompt(stderr) ?? (isFailure ? openPrompt(stdout) : choicePrompt(stdout));
  if (open !== undefined && (isFailure || /[?\])]\s*$/.test(open))) return { text: open.trim(), isAsked: true };
  if (!isFailure) return undefined;
  const terminal = (NO_TERMINAL.exec(stderr) ?? NO_TERMINAL.exec(stdout))?.[0];
  const asked =
    ASKS_CHOICE.exec(lastLines(stderr)) ??
    ASKS_CHOICE.exec(lastLines(stdout)) ??
    (terminal === undefined ? null : (ASKS_SECRET.exec(stderr) ?? ASKS_SECRET.exec(stdout)));
  if (asked !== null && terminal?.startsWith(asked[0]) !== true) return { text: asked[0].trim(), isAsked: true };
  return terminal === undefined ? undefined : { text: terminal.trim().slice(0, MAX_QUESTION), isAsked: false };
}

/** The ends of what a command printed, as text. */
export function readEnds({ stdout, stderr }: ProcessOutputs): PrintedTexts {
  return { stdout: readEnd(stdout), stderr: readEnd(stderr) };
}

function readEnd(output: CapturedOutput): string {
  const bytes = output.type === 'whole' ? output.bytes : output.tail;
  return stripEscapes(bytes.subarray(-TAIL).toString('utf8'));
}

/** A last line that has no end and looks like a question. */
export function openPrompt(text: string): string | undefined {
  const line = text.slice(text.lastIndexOf('\n') + 1);
  // Programs that write over a line ask on the last version of it.
  const shown = line.slice(line.lastIndexOf('\r') + 1);
  if (shown.trim() === '' || shown.length > MAX_QUESTION) return undefined;
  const isPrompt = /[?:>\])]\s+$/.test(shown) || ENDS_WITH_CHOICE.test(shown) || shown.endsWith('?');
  return isPrompt || (shown.endsWith(':') && IS_SECRET.test(shown)) ? shown : undefined;
}

function choicePrompt(text: string): string | undefined {
  const prompt = openPrompt(text);
  return prompt !== undefined && ENDS_WITH_CHOICE.test(prompt) ? prompt : undefined;
}

/** The question that an output asks again and again, as one does that takes the end of its input for a wrong answer. */
export function repeatedQuestion({ stdout, stderr }: PrintedTexts): string | undefined {
  for (const text of [stdout, stderr]) {
    const found = Map.groupBy(text.matchAll(REPEATED), ([asked]) => asked.trim());
    const often = [...found].flatMap(([asked, all]) => (all.length >= OFTEN ? [asked] : []));
    // The question says more than what follows a wrong answer.
    const asked = often.findLast((one) => one.includes('?')) ?? often.at(-1);
    if (asked !== undefined) return asked;
  }
  return undefined;
}

/** What is told to the model. */
export function describeQuestion({ text, isAsked }: Question): string {
  const told = isAsked
    ? `It asked ${quoteText(text)} and got no answer`
    : `It wanted to ask at a terminal: ${quoteText(text)}`;
  const advice = IS_SECRET.test(text)
    ? 'Its credentials must be where it finds them by itself, such as a key, a token or a credential helper.'
    : 'Give the answer with the call, such as an option like --yes where the tool has one.';
  return `[${told}; commands run without a terminal. ${advice}]`;
}

function lastLines(text: string): string {
  return text.split('\n').slice(-10).join('\n');
}
