import { describe, expect, it } from 'vitest';
import { guessLanguage } from './guess-language.ts';

describe('guessLanguage', () => {
  it.each([
    ['What is the weather in Paris?', 'English'],
    ['how do I deploy', 'English'],
    ['I do not see it in the list', 'English'],
    ['Jak zrobić to do jutra, co jest w planie?', 'Polish'],
    ['Wie wird das Wetter morgen in Berlin?', 'German'],
    ['Convertis ce fichier et envoie-le à mes collègues', 'French'],
    ['Quiero convertir un archivo para mi jefe', 'Spanish'],
    ['查询上海明天的天气', 'Chinese'],
    ['東京の天気を教えてください', 'Japanese'],
    ['서울 날씨 알려줘', 'Korean'],
    ['какая завтра погода', 'Russian'],
    ['ما هو الطقس غدا', 'Arabic'],
  ])('tells the language of %j', (text, language) => {
    expect(guessLanguage(text)).toBe(language);
  });

  it.each(['', 'weather paris', 'git_log', '42', 'β-blocker dosage'])('does not guess for %j', (text) => {
    expect(guessLanguage(text)).toBeUndefined();
  });
});
