import { childEnvironment } from '../../../platform/process/child-environment.ts';
import { describeOutput } from '../../../platform/process/describe-exit.ts';
import { runProcess } from '../../../platform/process/run-process.ts';
import { ToolError } from '../../../tool/tool-error.ts';
import type { ReadHelp } from '../../../load/import-cli/import-cli.ts';
import type { CliContext } from '../../cli-context.ts';

const TIMEOUT = 5000;
/** Variables that keep commands from paging, colouring and translating their help. */
const PLAIN = {
  PAGER: 'cat',
  MANPAGER: 'cat',
  GIT_PAGER: 'cat',
  NO_COLOR: '1',
  COLUMNS: '100',
  LANG: 'C',
  TERM: 'dumb',
};

/** Asks commands for their help. The first must answer; a subcommand that does not has none. */
export function createHelpReader({ env, cwd, signal }: CliContext): ReadHelp {
  const childEnv = childEnvironment({ from: env, set: PLAIN });
  const ask = async (command: readonly string[], flag: string): Promise<string> => {
    const [file = '', ...args] = command;
    const stop = AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT)]);
    const outcome = await runProcess({ file, args: [...args, flag], cwd, env: childEnv, signal: stop, stdin: '' });
    if (outcome.type === 'failed') {
      throw new ToolError({ code: 'execution_failed', message: outcome.message });
    }
    const [output, errors] = [describeOutput(outcome.stdout), describeOutput(outcome.stderr)];
    return looksLikeHelp(output) ? output : looksLikeHelp(errors) ? errors : '';
  };
  return async (command) => {
    const text = await ask(command, '--help');
    // A whole manual, as git opens: its short form is what a tool needs. Only there is -h known to mean help.
    if (command.length > 1 && (text === '' || isManual(text))) return (await ask(command, '-h')) || text;
    return text;
  };
}

function looksLikeHelp(text: string): boolean {
  return /^\s*usage\b/im.test(text) || /^\s*-{1,2}[A-Za-z]/m.test(text) || /\bcommands\b.*:$/im.test(text);
}

/** `GIT-LOG(1)    Git Manual    GIT-LOG(1)` */
function isManual(text: string): boolean {
  return /^\s*\S+\(\d\w*\)\s.*\S+\(\d\w*\)$/m.test(text.slice(0, 1000));
}
