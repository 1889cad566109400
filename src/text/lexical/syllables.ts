function isConsonant(word: string, place: number): boolean {
  switch (word[place]) {
    case 'a':
    case 'e':
    case 'i':
    case 'o':
    case 'u':
      return false;
    case 'y':
      return place === 0 || !isConsonant(word, place - 1);
    default:
      return true;
  }
}

/** How often a vowel is followed by a consonant: Porter's measure of a word. */
export function measure(word: string): number {
  let count = 0;
  let wasVowel = false;
  for (let place = 0; place < word.length; place++) {
    const isVowel = !isConsonant(word, place);
    if (wasVowel && !isVowel) count++;
    wasVowel = isVowel;
  }
  return count;
}

/** Whether any letter is a vowel. */
export function hasVowel(word: string): boolean {
  for (let place = 0; place < word.length; place++) if (!isConsonant(word, place)) return true;
  return false;
}

/** Whether it ends with the same consonant twice. */
export function endsDouble(word: string): boolean {
  return word.length > 1 && word.at(-1) === word.at(-2) && isConsonant(word, word.length - 1);
}

/** Whether it ends as `hop` does: consonant, vowel, consonant other than w, x and y. */
export function endsShort(word: string): boolean {
  const last = word.length - 1;
  if (last < 2 || /[wxy]$/.test(word)) return false;
  return isConsonant(word, last) && !isConsonant(word, last - 1) && isConsonant(word, last - 2);
}
