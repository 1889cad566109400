import { describe, expect, it } from 'vitest';
import { readForm } from './weigh-needs.ts';

describe('readForm', () => {
  it.each([
    'Book a table for two.',
    'Could you book a table?',
    'Then, please check the weather in Rome.',
    'I’d like to send an email',
    'We are looking for a cheap flight.',
    'What is the price of gold?',
    'Do you have anything that converts PDFs?',
    'Any good hotels nearby?',
  ])('sees that %j asks', (sentence) => {
    expect(readForm(sentence)).toBe('asks');
  });

  it.each([
    'My sister came over yesterday.',
    'In March, we moved to another office.',
    'Hi there, how are you doing today?',
    'Did you see the game?',
    'Can you believe it is winter already?',
    'What a week it has been, right?',
    'Yes, I love football.',
    'Thanks for your help last time.',
  ])('sees that %j tells', (sentence) => {
    expect(readForm(sentence)).toBe('tells');
  });

  it.each(['iPad deals', 'find', 'wetter in Berlin morgen', '查询天气', ''])('leaves %j open or asking', (sentence) => {
    expect(readForm(sentence)).not.toBe('tells');
  });

  it('reads a long run of signs quickly', () => {
    expect(readForm('!? '.repeat(100_000))).toBe('asks');
    expect(readForm('-,'.repeat(100_000))).toBe('open');
  });
});
