import { hasTrait } from '../../packs/knowledge.ts';
import type { CommandPage } from '../command-page.ts';
import { placesElsewhere } from './value-risks.ts';

/** Options that only programs have which work on what others see or use too. */
const CLIENT_FLAG = /^--(?:kubeconfig|kube-context|endpoint-url|api-(?:server|url|endpoint))=?$/;
/** Subcommands of such programs that only work on this machine: on their own settings and on copies of what is elsewhere. */
const HERE =
  /^(?:config|configure|contexts?|alias|login|logout|refresh|switch|setup-git|completion|help|version|clone|checkout|download|pull|browse|watch|wait|dump|kustomize|template|lint|convert|set-default)$/;
/** Subcommands of package managers that change what is said about a package or an account where all see it. */
const PUBLIC = /^(?:dist-tag|tag|profile|star|unstar|trust|undeprecate|stage|hook|yank)$/;
/** A copy that stays elsewhere: `gh label clone`. */
const TO_OTHERS = /\bto another\b/i;
/** What a change is called, where the last word only says of what: `kubectl create configmap`. */
const VERB = /^(?:create|set|add|apply|update|edit)$/;
/** Commands that let others in, or that speak with any server that a call names. */
const SERVES =
  /\b(?:(?:creates?|runs?|starts?|launch\w*|set up|is) (?:an? |the )?(?:[\w-]+ ){0,3}(?:proxy server|web ?server|http server|api server)|(?:really )?simple server for|server (?:side )?(?:implementation|emulator)|server which listens|client which connects to|(?:initiali[sz]e|join) a (?:swarm|cluster))\b/i;
/** Settings by which a program finds where to go and what to run. */
const SETTINGS = /^(?:config|configure|alias)$/;
const SETS = /^(?:set|add|create|import|set-(?!context$|default$).+)$/;

/** The word for a change that reaches beyond this machine and its user, or that later calls run or go by. */
export function findOutsideChange(page: CommandPage, text: string): string | undefined {
  const { command, options, positionals, details = '' } = page;
  const [program = '', ...words] = command;
  const last = words.at(-1);
  if (last === undefined) return undefined;
  const serves = SERVES.exec(`${text}. ${details.slice(0, START_OF_DETAILS)}`)?.[0];
  if (serves !== undefined) return serves;
  // `npm set` is short for `npm config set`.
  const isSetting = words.some((word) => SETTINGS.test(word)) || (hasTrait(program, 'packages') && words[0] === 'set');
  if (isSetting && SETS.test(last) && positionals.length > 0) return last;
  if (words.some((word) => HERE.test(word)) && !TO_OTHERS.test(text)) return undefined;
  const verb = words.find((word) => VERB.test(word)) ?? last;
  if (hasTrait(program, 'packages')) return words.some((word) => PUBLIC.test(word)) ? verb : undefined;
  const isClient =
    hasTrait(program, 'remote') || options.some(({ flags }) => flags.some((flag) => CLIENT_FLAG.test(flag)));
  // Which way it copies is for its last word to say.
  return isClient && placesElsewhere(page) === undefined ? verb : undefined;
}

const START_OF_DETAILS = 200;
