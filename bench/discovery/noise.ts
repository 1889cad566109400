/** A kind of talk that people put around a request. */
export type NoiseStyle = keyof typeof STYLES;

/** The position of the added talk. */
export type NoisePlace = 'before' | 'after' | 'around';

/** Sentences in which `{…}` is filled in from the lists below, so that no two queries get the same talk. */
const STYLES = {
  /** Small talk about a person's day. */
  smallTalk: [
    'My {relative} came over {when} and we sat in the {room} for hours.',
    'It has been {weather} here all week.',
    'The {animal} kept me up half the night again.',
    'I finally finished the {thing} that I started {when}.',
    'We had {food} for dinner and it was {quality}.',
    'The neighbours are painting their fence {colour}.',
    'Honestly, I could use a holiday.',
    'My {relative} says hello, by the way.',
    'I slept badly and had three cups of {drink}.',
    'The traffic on the way home was {quality}.',
    'There is a new bakery around the corner and the bread is {quality}.',
    'I have been thinking about growing {plant} on the balcony.',
    'Everyone at the office is tired these days.',
    'Our {animal} learned a new trick {when}.',
    'You would not believe how {weather} it was {when}.',
    'The kids are with their grandparents until Sunday.',
    'I lost my umbrella on the bus.',
    'They played that old song again in the café.',
    'My back hurts a little from carrying boxes.',
    'I still have to wash the dishes.',
    'The lift in our house is broken, so I walk a lot.',
    'Somebody left a {thing} in the hallway.',
    'It is nearly the weekend, thank goodness.',
    'I burnt the {food} because the phone rang.',
    'The film we saw {when} was {quality}.',
  ],
  /** Politeness, and questions that want no tool. */
  chat: [
    'Hi there, how are you doing today?',
    'I hope this finds you well.',
    'Did you have a good weekend?',
    'Sorry for the long message.',
    'Thanks a lot for your help last time, it was {quality}.',
    'No rush at all, take your time.',
    'Is it {weather} where you are, too?',
    'I never know how to start these messages.',
    'Anyway, where was I?',
    'You have been very patient with me.',
    'What a {quality} week it has been, right?',
    'Can you believe it is already nearly winter?',
    'Let me just say that I really appreciate this.',
    'Feel free to ignore the rest of this.',
    'As I said, I am not in a hurry.',
    'Have you ever tried {food} with {drink}?',
    'Do you like {colour}, or is that just me?',
    'Bear with me for a moment.',
    'Ha, that reminds me of my {relative}.',
    'Who would have thought?',
    'I am rambling again, am I not?',
    'Please excuse my spelling, I am on the train.',
    'Enjoy the rest of your day!',
    'Talk to you soon.',
    'Cheers from the {room}.',
  ],
  /** Talk about work before coming to the point. */
  context: [
    'We are a team of seven people spread over three countries.',
    'Our manager changed {when} and nobody knows what happens next.',
    'The client was rather {quality} about the last delivery.',
    'I took over this project from a colleague who left {when}.',
    'The deadline is next Thursday, and half of us are on leave.',
    'We agreed on this in the meeting {when}.',
    'Nobody wrote anything down, of course.',
    'The budget was cut again in spring.',
    'I usually work from the {room} on Mondays.',
    'The old system was {quality}, but we got used to it.',
    'My predecessor did all of this by hand.',
    'There are a few people who would rather wait.',
    'I was told that you can take care of such matters.',
    'This has been going on for about six weeks now.',
    'The last consultant charged a fortune and vanished.',
    'It is a long story, but I will keep it short.',
    'Legal has already agreed, which surprised all of us.',
    'We tried something similar two years ago and gave up.',
    'The intern brought {food} for everybody, so spirits are high.',
    'I am new here and still learning who does what.',
    'Two departments share the costs, which makes it complicated.',
    'Our director is out of the office until {when}.',
    'Some of us think that the whole idea is {quality}.',
    'I promised my {relative} not to work late today.',
    'It matters a lot to the people upstairs.',
  ],
} as const;

const LISTS: Readonly<Record<string, readonly string[]>> = {
  relative: ['sister', 'cousin', 'uncle', 'mother-in-law', 'grandfather', 'flatmate', 'nephew'],
  when: ['yesterday', 'last Tuesday', 'in March', 'two weeks ago', 'on my birthday', 'over the holidays'],
  room: ['kitchen', 'garden', 'attic', 'living room', 'library downstairs', 'veranda'],
  weather: ['raining', 'windy', 'terribly hot', 'foggy', 'icy', 'sunny but cold'],
  animal: ['cat', 'dog', 'parrot', 'neighbour’s rooster', 'hamster'],
  thing: ['puzzle', 'bookshelf', 'suitcase', 'bicycle', 'scarf', 'model railway', 'novel'],
  food: ['pancakes', 'lentil soup', 'lasagne', 'dumplings', 'roast potatoes', 'cake'],
  drink: ['coffee', 'green tea', 'cocoa', 'orange juice'],
  quality: ['lovely', 'awful', 'a bit odd', 'wonderful', 'not bad at all', 'quite dull'],
  colour: ['blue', 'a dark red', 'yellow', 'mint green'],
  plant: ['tomatoes', 'lavender', 'chillies', 'strawberries'],
};

/** All styles. */
export const NOISE_STYLES = Object.keys(STYLES) as readonly NoiseStyle[]; // The keys of a constant.

/** The talk to add: where, how many sentences, and a seed; the same seed gives the same talk. */
export interface Noise {
  readonly place: NoisePlace;
  readonly count: number;
  readonly seed: number;
}

/** A query with talk before, after or around it. */
export function addNoise(query: string, { place, count, seed }: Noise): string {
  const random = createRandom(seed);
  const style = NOISE_STYLES[Math.floor(random() * NOISE_STYLES.length)] ?? 'smallTalk';
  const talk = pickSentences(STYLES[style], count, random);
  const asked = /[.!?]\s*$/.test(query) ? query.trim() : `${query.trim()}.`;
  switch (place) {
    case 'before':
      return [...talk, query].join(' ');
    case 'after':
      return [asked, ...talk].join(' ');
    case 'around':
      return [...talk.slice(0, count / 2), asked, ...talk.slice(count / 2)].join(' ');
  }
}

function pickSentences(from: readonly string[], count: number, random: () => number): string[] {
  const left = [...from];
  return Array.from({ length: Math.min(count, from.length) }, () => {
    const [sentence = ''] = left.splice(Math.floor(random() * left.length), 1);
    return sentence.replaceAll(/\{(\w+)\}/g, (_, list: string) => {
      const words = LISTS[list] ?? [];
      return words[Math.floor(random() * words.length)] ?? '';
    });
  });
}

/** Numbers from 0 to 1, the same for the same seed. */
function createRandom(seed: number): () => number {
  let state = (seed + 1) * 0x9e3779b1;
  return () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5;
    state ^= state >>> 13;
    return ((state ^ (state >>> 16)) >>> 0) / 2 ** 32;
  };
}
