import type { NeedWeights } from '../ranking-weights.ts';
import { highestOf, type NeedScores } from './merge-needs.ts';

interface ScoredNeed extends NeedScores, Need {}

/**
 * Weighs the parts of a query: 1 for the one that a tool answers best and those near it, 0 for talk that no tool
 * answers.
 *
 * A part is strong if a tool has much of it, both by share and by weight: a single common word is not a need. Parts
 * that ask are stronger than parts that tell. `rarest` is the score of a word that only one tool has in its name.
 */
export function weighNeeds(needs: readonly ScoredNeed[], weights: NeedWeights, rarest: number): number[] {
  // If there are few parts, all are probably part of the request.
  const many = Math.min(1, needs.length / weights.few);
  const strengths = needs.map((need) => {
    const top = highestOf(need);
    const covered = Math.min(1, top / (need.full + rarest));
    return covered * top * (1 + many * factorOf(readForm(need.sentence), weights));
  });
  // Without a limit, one need with many words would make needs with few words look like talk.
  const most = Math.min(Math.max(...strengths), weights.certain * rarest) || 1;
  const low = weights.least * many;
  const high = weights.enough * (0.3 + 0.7 * many);
  return strengths.map((strength) => Math.max(0, Math.min(1, (strength / most - low) / (high - low))));
}

/** Weighs a part without any known word: its words may be misspelt, or synonyms. */
export function weighUnknown({ sentence }: Need, parts: number, { few }: NeedWeights): number {
  switch (readForm(sentence)) {
    case 'asks':
      return 1;
    case 'tells':
      return 0;
    case 'open':
      return parts <= few ? 1 : 0;
  }
}

function factorOf(form: SentenceForm, { asks, tells }: NeedWeights): number {
  switch (form) {
    case 'asks':
      return asks;
    case 'tells':
      return -tells;
    case 'open':
      return 0;
  }
}

// None of these begins with a repetition, which would take quadratic time on a long run of spaces or commas.
const SENTENCE = /\n\s*(?:[-*•]\s)?|(?<=[.!?])\s|;|(?:^|\s)(?:\d{1,2}|[a-h])[.)]\s|^[-*•]\s/;
const STEP =
  /\b(?:and then|then|and also|also|additionally|furthermore|moreover|finally|after that|afterwards|next|lastly|as well as)\b/i;
const LIST = /,|\sand\s/i;
const EDGES = /^(?:and\s|or\s|[\s,])+|[\s,]+$/gi;

/** Something that a query asks for, with its sentence. */
export interface Need {
  readonly text: string;
  readonly sentence: string;
}

/**
 * Splits a query that asks for several things: at sentences, steps, `and then` and the like.
 *
 * A list with commas is split only if every part passes `isNeed`, because most commas do not separate needs.
 */
export function splitNeeds(query: string, isNeed: (part: string) => boolean): Need[] {
  const split = (text: string, pattern: RegExp): string[] =>
    text.split(pattern).filter((part) => /[\p{L}\p{N}]/u.test(part));
  const needs = split(query.replaceAll(/[^\S\n]+/g, ' '), SENTENCE).flatMap((sentence) =>
    split(sentence, STEP).flatMap((step) => {
      const parts = split(step, LIST);
      const texts = parts.length > 1 && parts.every(isNeed) ? parts : [step];
      return texts.map((text) => ({ text: text.replaceAll(EDGES, ''), sentence }));
    }),
  );
  return needs.length > 1 ? needs : [];
}

/** The role of a sentence: it requests something, states something, or could be either. */
type SentenceForm = 'asks' | 'tells' | 'open';

const LONGEST = 400;
/** Words that may precede the main part of a sentence. */
const OPENING =
  /^(?:[^\p{L}\p{N}]+|(?:and|but|so|well|okay|ok|now|then|also|next|first|firstly|second|secondly|third|finally|lastly|afterwards|additionally|hey|hi|hello|hi there|yes|yeah|no|oh|ah|ha|haha|wow|cool|true|please|kindly|just|honestly|anyway|by the way|for example|after that|in addition)\b)+/iu;
const WISH =
  /^(?:i|we)(?:[’'](?:m|re|ve|ll)| (?:am|are|was|have|also|really|urgently|currently|now|just|will|must|still))* (?:need|want|require|looking|searching|seeking|trying|interested in|wondering|planning|about to|going to|intend|have to)\b|^(?:i|we)(?:[’']d| would)(?: also| really| just)? (?:like|love|want|need|appreciate|be)\b/iu;
const QUESTION =
  /^(?:who|whom|whose|what|which|when|where|why|how|is there|are there|any)\b|^(?:can|could|would|will|may|should|shall|do|does|is|are|has|did)\b(?! (?:you|it|that)\b)|\b(?:can|could|would|will) you\b|^do you (?:have|know|offer)\b|\blet me know\b/iu;
/** Questions about a reader's life and opinions, and exclamations. */
const CHAT =
  /^(?:how|who|what|where)(?:[’']s| is| are| have| has| was| were| would)? (?:you|your|life|things|it going|up|i|about you)\b|^what an?\b|\bwhat about you\b|\b(?:can|could) you (?:believe|imagine)\b|\b(?:do|did|have|are|were|had)(?:n[’']t)? you (?!have|know|offer|able)|^(?:is|was|does|has)(?:n[’']t)? (?:it|that|your)\b|\b(?:right|(?:am|do|did|is|was|are|have|would)(?: ?n[o’']t)? (?:i|it|you|they|we)(?: not)?)\?$/iu;
const SUBJECT =
  /^(?:(?:yesterday|today|tomorrow|sometimes|usually|maybe|perhaps|luckily|sadly|unfortunately|fortunately|actually|as|when|since|because|although|while|if|after|before|during|in|on|at|last|next|every|for|with)\b[^,.]*,\s*)?(?:the|an?|my|our|your|his|her|its|it|this|that|these|those|there|their|i|we|he|she|they|you|everyone|everybody|somebody|someone|nobody|some|most|many|few|all|both|one|two|three|thanks|thank|sorry|cheers|greetings|dear|good|welcome)\b/iu;
/** Verbs that begin an instruction. */
const VERBS = new Set(
  `add adjust analyse analyze answer apply arrange ask assess assign book build buy calculate call cancel change check
  choose classify clean close collect combine compare compile complete compose compress compute configure confirm connect
  convert copy count create cut debug decode decrypt define delete deploy describe design detect determine develop diagnose
  disable discover display divide download draft draw edit email enable encode encrypt estimate evaluate examine execute
  explain export extract fetch figure filter find fix format forward generate get give group help identify import improve
  inform insert inspect install invite invoke label list listen load locate log look lookup make manage measure merge
  modify monitor move multiply name navigate notify obtain open optimize order organize outline parse pay perform
  pick place plan play plot post predict prepare print process produce propose provide publish pull push put query rank
  read recommend record register remind remove rename render repair replace reply report request reserve reset resize
  resolve restart retrieve return reverse review rewrite rotate run save scan schedule scrape search select send set share
  show simulate solve sort split start stop store submit subscribe suggest sum summarise summarize switch take tell test
  track transcribe transfer transform translate trigger turn update upgrade upload use validate verify view visualize
  watch write`.split(/\s+/),
);

/** Determines the role of a sentence by its first words, in English: sentences of other languages are open. */
export function readForm(sentence: string): SentenceForm {
  const text = sentence.trim().slice(0, LONGEST).replace(OPENING, '');
  if (CHAT.test(text)) return 'tells';
  const first = /^\p{L}+/u.exec(text)?.[0].toLowerCase() ?? '';
  if (VERBS.has(first) || WISH.test(text) || QUESTION.test(text) || sentence.trimEnd().endsWith('?')) return 'asks';
  return SUBJECT.test(text) ? 'tells' : 'open';
}

/** First words of a query that asks to see something and to change nothing. */
const LOOKS =
  /^(?:(?:please|can|could|would|you|i|we|want|need|like|to|let|me|us|now|just|help)\s+)*(?:show|list|see|view|display|print|find|search|look|check|get|inspect|describe|compare|count|watch|tell|what|what's|which|who|whose|where|when|why|is|are|was|were|does|did|has|have|how\s+(?:many|much|often|long|big|full|old))\b/i;

/** Returns true if a query's first words ask to see something. */
export function asksToLook(query: string): boolean {
  return LOOKS.test(query.trimStart());
}
