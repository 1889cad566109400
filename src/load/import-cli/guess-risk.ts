import type { CommandPage } from './command-page.ts';

/** What a command seems to do to the world, and the word that says so. */
export interface RiskGuess {
  readonly risk: 'read' | 'destructive';
  /** The word from which it was guessed. */
  readonly from: string;
}

const DESTRUCTIVE =
  /^(?:rm|rmi|remove|delete|del|destroy|prune|purge|drop|clean|reset|kill|uninstall|unpublish|wipe|erase|format|drain|evict|revoke|force-unlock|leave|gc|shutdown|reboot|poweroff|halt|truncate|clear|logout)$/;
const READ =
  /^(?:ls|list|ll|get|show|view|describe|inspect|status|logs?|diff|history|info|version|search|find|cat|top|ps|images|stats|port|explain|events|outdated|query|whoami|api-resources|api-versions|cluster-info|can-i|output|graph|providers|validate|ping|doctor|df|check|checks|blame|grep|shortlog|rev-parse|ls-files|ls-remote|ls-tree|is-active|is-enabled|is-failed|cat-file|rev-list|dump|tree|root|prefix|fund|current-context|get-contexts|get-clusters|get-users|view-last-applied|sbom|config-view|about)$/;
/** `get-users`, `list-units`, `describe-instances`, `show-ref`. */
const READ_START = /^(?:get|list|describe|show|search|ls)-/;
/** Words of a summary that speak of a change. */
const CHANGES =
  /\b(?:install|upgrade|updat|creat|delet|remov|writ(?:e|es|ing)\b|modif|edit|set(?:s|ting)?\b|chang|add(?:s|ing)?\b|push|upload|download|mov(?:e|es|ing)\b|renam|replac|start(?:s|ing)?\b|stop(?:s|ping)?\b|restart|run(?:s|ning)? (?:a|an|the|arbitrary)\b|execut|apply|applies|merg|commit(?:s)? (?:the|your)|register|login|log in|authenticat|enabl|disabl|open(?:s)? .*browser)/i;
/** Options that make a command write although its name says that it reads. */
const WRITING_FLAG =
  /^--?(?:delete|remove|write|fix|apply|edit|set|add|unset|replace|rename|move|force|prune|exec|output-file|out|outfile|output-directory|save|install|create|update|upload|fix-.*)$/;

/** Guesses from a command's last word what it does; `undefined` where the word says nothing certain. */
export function guessRisk({ command, summary, options }: CommandPage, about = ''): RiskGuess | undefined {
  const words = command.slice(1);
  const verb = words.findLast((word) => DESTRUCTIVE.test(word) || READ.test(word) || READ_START.test(word));
  const last = command.at(-1)?.split('/').at(-1) ?? '';
  if (DESTRUCTIVE.test(last) && words.length > 0) return { risk: 'destructive', from: last };
  const program = words.length === 0 ? last : undefined;
  if (program !== undefined) {
    return /^(?:rm|rmdir|shred|dd|mkfs(?:\..*)?|wipefs|kill|killall|pkill)$/.test(program)
      ? { risk: 'destructive', from: program }
      : undefined;
  }
  if (verb === undefined) return undefined;
  if (DESTRUCTIVE.test(verb)) return { risk: 'destructive', from: verb };
  // A wrong "read" may let a change pass unasked: the text has to agree, and no option may write.
  const text = firstSentence(about || summary);
  const writes = options.some(({ flags }) => flags.some((flag) => WRITING_FLAG.test(flag)));
  return verb !== last || text === '' || CHANGES.test(text) || writes ? undefined : { risk: 'read', from: verb };
}

function firstSentence(text: string): string {
  return text.split(/(?<=\.)\s/, 1)[0] ?? '';
}
