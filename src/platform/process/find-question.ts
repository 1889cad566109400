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

/** A short prompt that stands behind itself on one line: `Number: Number: `. */
const SAME_PROMPT = /([^\n]{1,80}[:>?] )\1{4,}$/;

/** The question that an output asks again and again, as one does that takes the end of its input for a wrong answer. */
export function repeatedQuestion({ stdout, stderr }: PrintedTexts): string | undefined {
  for (const text of [stdout, stderr]) {
    const found = Map.groupBy(text.matchAll(REPEATED), ([asked]) => asked.trim());
    const often = [...found].flatMap(([asked, all]) => (all.length >= OFTEN ? [asked] : []));
    // The question says more than what follows a wrong answer.
    const asked = often.findLast((one) => one.includes('?')) ?? often.at(-1) ?? samePrompt(text);
    if (asked !== undefined) return asked;
  }
  return undefined;
}

/** The prompt that a text ends with several times: the shortest part, as twice the same is the same as well. */
function samePrompt(text: string): string | undefined {
  const line = text.slice(text.lastIndexOf('\n') + 1).slice(-MAX_QUESTION * OFTEN);
  const asked = SAME_PROMPT.exec(line)?.[1];
  return asked === undefined ? undefined : (/^(.+?[:>?] )\1*$/.exec(asked)?.[1] ?? asked).trim();
}

const ANSWER =
  'Give the answer with the call: an option like --yes, or its standard input, where the tool has an argument for that (stdin: true).';

/** What is told of a command that reads where there is nothing. */
export const READS_NOTHING = `[It may be asking something: it read its standard input again and again, which is empty, and commands run without a terminal. ${ANSWER}]`;

/** What is told of a script that failed, where it has a prompt that shells print on terminals only. */
export function describeUnseen(prompt: string): string {
  return `[It may have asked ${quoteText(prompt.slice(0, MAX_QUESTION))}: prompts of \`read -p\` are shown on terminals only, and its standard input was empty. ${ANSWER}]`;
}

/** What is told to the model. */
export function describeQuestion({ text, isAsked }: Question): string {
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
