import type { AgentEvent, AgentCall } from '../../../agent/loop/agent-result.ts';
import type { AgentUsage } from '../../../agent/loop/agent-usage.ts';
import { StreamedText } from '../../../agent/loop/run-agent.ts';
import { stripEscapes } from '../../../platform/outputs/decode-output.ts';
import type { CliContext } from '../../../cli/shared/cli-context.ts';
import { widthOf } from '../../../cli/shared/print/columns.ts';
import { counted } from '../../../tool/texts/counted.ts';
import { createMarkdownRenderer } from './markdown.ts';
import { createStyle, type TextStyle } from '../../../cli/shared/print/style.ts';

const MAX_ARGUMENTS = 100;
const MAX_LINE = 100;
/** The end of a piece whose last character may continue in the next piece. */
const UNFINISHED = /[^\t\n -~]{1,16}$/u;

/** Shows a run on the terminal: the answer on stdout as it arrives, everything else on stderr. */
export function createEventPrinter(context: CliContext, agent: string): (event: AgentEvent) => void {
  const { stdout, stderr, env } = context;
  const style = createStyle(stderr, env);
  let isLineOpen = false;
  let held = '';
  const streamed = new StreamedText(agent);
  // A terminal gets rendered lines; a program gets every character immediately.
  const markdown =
    stdout.isTTY === true ? createMarkdownRenderer(createStyle(stdout, env), widthOf(stdout)) : undefined;
  /** Holds back the end of a piece that may be an incomplete character, such as an emoji of several parts. */
  const write = (text: string, isLast = false): void => {
    if (markdown !== undefined) {
      stdout.write(markdown.push(text) + (isLast ? markdown.end() : ''));
      return;
    }
    const ready = held + text;
    held = isLast ? '' : (UNFINISHED.exec(ready)?.[0] ?? '');
    stdout.write(ready.slice(0, ready.length - held.length));
  };
  /** Writes a line to stderr, never in the middle of a line of the answer. */
  const note = (text: string): void => {
    write(isLineOpen ? '\n' : '', true);
    isLineOpen = false;
    stderr.write(`${text}\n`);
  };
  return (event) => {
    // A person sees the retry and the repeated answer; a program gets the answer once.
    const text = markdown === undefined ? streamed.take(event) : event.type === 'text' ? event.text : '';
    const who = event.agent === agent ? '' : `${style.dim(`[${event.agent}]`)} `;
    switch (event.type) {
      case 'text':
        // The text of a subagent answers a call, not the person.
        if (event.agent !== agent) return;
        if (text === '') return;
        isLineOpen = !text.endsWith('\n');
        write(text);
        return;
      case 'call-end':
        note(who + formatCall(event, style));
        return;
      case 'retry':
        if (markdown === undefined) stderr.write(`${who}${retried(event, style)}\n`);
        else note(who + retried(event, style));
        return;
      case 'waiting':
        note(`${who}${style.yellow('waiting')} another run uses this session; this run continues after it`);
        return;
      case 'resumed':
        note(`${who}${style.dim(`(resumed after step ${event.steps} of run ${event.run})`)}`);
        return;
      case 'tools-added':
        note(`${who}${style.dim(`+ ${event.tools.join(', ')}`)}`);
        return;
      case 'compacted':
        note(`${who}${style.dim(`(summarized ${event.removed} earlier messages)`)}`);
        return;
      case 'run-end':
        if (event.agent !== agent) return;
        write(isLineOpen ? '\n' : '', true);
        isLineOpen = false;
        return;
      default:
    }
  };
}

function retried({ attempt, reason }: Extract<AgentEvent, { readonly type: 'retry' }>, style: TextStyle): string {
  return `${style.yellow(`retry ${attempt}`)} ${reason}`;
}

/** Formats a call as `● stock_level {"item":"flour"} 12 ms`, followed by the start of its result. */
function formatCall({ tool, input, result, answeredFrom }: AgentCall, style: TextStyle): string {
  const mark = result.ok ? style.green('●') : style.red('●');
  const time = answeredFrom === undefined ? `${Math.round(result.meta.durationMs ?? 0)} ms` : `as ${answeredFrom}`;
  const given = fold(typeof input === 'string' ? input : JSON.stringify(input), MAX_ARGUMENTS);
  const lines = stripEscapes(result.text).trim().split('\n');
  const rest = lines.length - 1;
  const more = rest > 0 ? ` (+${rest} ${rest === 1 ? 'line' : 'lines'})` : '';
  const answer = `${fold(lines[0] ?? '', MAX_LINE)}${more}`;
  return `${mark} ${style.bold(tool)} ${style.dim(`${given} ${time}`)}\n  ${result.ok ? style.dim(answer) : style.red(answer)}`;
}

function fold(text: string, length: number): string {
  const flat = stripEscapes(text).replaceAll(/\s+/g, ' ');
  return flat.length > length ? `${flat.slice(0, length)}…` : flat;
}

/** Formats usage as `1,234 tokens, cost 0.0042`. Omits an unknown cost. */
export function formatUsage({ totalTokens, cost, uncounted }: AgentUsage): string {
  const price = cost === undefined || cost === 0 ? '' : `, cost ${cost.toFixed(4)}`;
  const note = uncounted === 0 ? '' : `, not counting ${counted(uncounted, 'stopped model call')}`;
  return `${counted(totalTokens, 'token')}${price}${note}`;
}
