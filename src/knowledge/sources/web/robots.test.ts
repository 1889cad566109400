import { expect, it } from 'vitest';
import { HostGate } from './fetch-url.ts';
import { parseRobots } from './robots.ts';

it('reads robots.txt: its own group or that of all, the longest rule, wildcards and ends', () => {
  const rows: [string, Readonly<Record<string, boolean>>][] = [
    ['', { '/a': true }],
    ['User-agent: *\nDisallow:', { '/a': true }],
    ['User-agent: *\nDisallow: /', { '/a': false }],
    ['\uFEFFuser-AGENT: other\r\nDisallow: /\r\n', { '/a': true }],
    ['User-agent: *\nDisallow: /\n\nUser-agent: Pegboard/1.0 # us\nDisallow: /b', { '/a': true, '/b/c': false }],
    ['User-agent: x\nUser-agent: *\nDisallow: /a', { '/a': false }],
    ['User-agent: *\nDisallow: /a\nUser-agent: *\nDisallow: /b', { '/a': false, '/b': false }],
    ['User-agent: *\nDisallow: /a\nAllow: /a/open\nAllow: /', { '/a/x': false, '/a/open/x': true, '/b': true }],
    ['User-agent: *\nDisallow: /same\nAllow: /same', { '/same': true }],
    ['User-agent: *\nDisallow: /*.pdf$', { '/a/b.pdf': false, '/a/b.pdf?x': true }],
    ['User-agent: *\nDisallow: /*/x*y$', { '/a/x1y': false, '/a/x1yz': true, '/x1y': true }],
    ['User-agent: *\nDisallow: /ü', { '/%C3%BC': false }],
    ['Disallow: /', { '/a': true }],
  ];
  for (const [text, paths] of rows) {
    const robots = parseRobots(text);
    const found = Object.fromEntries(Object.keys(paths).map((path) => [path, robots.isAllowed(path)]));
    expect({ text, found }).toEqual({ text, found: paths });
  }
  expect(parseRobots('User-agent: *\nCrawl-delay: 2').delay).toBe(2_000);
  expect(parseRobots('User-agent: *\nCrawl-delay: 86400').delay).toBe(10_000);
});

it('runs four requests to a host at a time, and one at a time with a delay', async () => {
  for (const [delay, most] of [
    [0, 4],
    [1, 1],
  ] as const) {
    const gate = new HostGate();
    let [running, highest] = [0, 0];
    const work = async (): Promise<void> => {
      highest = Math.max(highest, ++running);
      await new Promise((settle) => setImmediate(settle));
      running--;
    };
    const options = { delay, signal: undefined };
    await Promise.all(Array.from({ length: 20 }, () => gate.run('http://host', options, work)));
    expect(highest).toBe(most);
  }
});
