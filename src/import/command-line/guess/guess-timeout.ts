import { hasTrait } from '../../packs/knowledge.ts';
import type { CommandPage } from '../command-page.ts';

/** What a command gets that may well take longer than the 30 seconds of other tools. */
const LONG = '15m';
/** Subcommands that build, move data, or wait for something to happen. */
const LONG_VERB =
  /^(?:build|bake|compile|make|install|i|ci|add|uninstall|remove|update|upgrade|dedupe|download|upload|clone|pull|push|fetch|sync|cp|copy|mv|move|convert|wait|test|t|tst|bench|run|start|restart|stop|exec|apply|plan|destroy|init|refresh|deploy|publish|release|up|down|drain|import|export|load|save|commit|archive|backup|restore|migrate|package|pack|prune|gc|fsck|repack|bisect|audit|lint|rebuild|create)(?:-.+)?$/;
const WAITS = /\bwait/i;

/** The time that a tool should get beyond the default; `undefined` where its command answers at once as far as is known. */
export function guessTimeout({ command, options }: CommandPage): typeof LONG | undefined {
  const [program = '', ...words] = command.map((word) => word.split('/').at(-1) ?? word);
  const last = words.at(-1);
  if (last === undefined) return hasTrait(program, 'slow') ? LONG : undefined;
  // `aws ec2 wait instance-running`.
  if (LONG_VERB.test(last) || words.includes('wait')) return LONG;
  const waits = options.some(
    ({ flags, global, description }) =>
      global === undefined && (flags.includes('--wait') || (flags.includes('--timeout') && WAITS.test(description))),
  );
  return waits ? LONG : undefined;
}
