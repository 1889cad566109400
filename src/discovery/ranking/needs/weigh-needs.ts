import type { NeedWeights } from '../ranking-weights.ts';
import { highestOf, type NeedScores } from './merge-needs.ts';
import { readForm, type SentenceForm } from './sentence-form.ts';

/** A part of a query with the tools found for it. */
export interface ScoredNeed extends NeedScores, Need {}

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
