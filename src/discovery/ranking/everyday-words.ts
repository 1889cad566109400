import type { WordReader } from '../../text/word-reader.ts';

/** Words that people use, and names of tools that do it. Each line has words of people, a colon, and words of tools. */
const TABLE = `
upload publish: push put
download newest latest: pull fetch
update: pull upgrade
compare comparison difference differ: diff
combine join squash: merge rebase
undo back: revert reset restore rollback undo
discard throw: restore reset discard
wrote author: blame annotate
history: log
modified changed edited: status diff
later: stash
release version: tag
erase delete remove: rm remove delete prune
unused space cleanup: prune clean gc
copy duplicate: cp clone
move: mv rename
output: log
memory usage busy load cpu: stats top
shell: exec
inside: exec
boot startup autostart automatically: enable
machine computer host: system
running active alive: status active
maintenance: drain cordon
allowed permission: auth
replica instance copies: scale
dependency dependencies library: package install
vulnerability security: audit
cluster: context
finished done: status wait
why explain: describe explain
failed broken crash: failed
`;

/** Stems in tool names, by the stem of a word that people use. */
export type EverydayWords = ReadonlyMap<string, readonly string[]>;

/** Reads the table of everyday words for the names of command-line and API tools. */
export function readEverydayWords(reader: WordReader): EverydayWords {
  const words = new Map<string, string[]>();
  for (const line of TABLE.trim().split('\n')) {
    const [said = '', called = ''] = line.split(': ');
    const stems = called.split(' ').map((word) => reader.toWord(word).stem);
    for (const word of said.split(' ')) {
      const { stem } = reader.toWord(word);
      const others = stems.filter((other) => other !== stem);
      words.set(stem, [...new Set([...(words.get(stem) ?? []), ...others])]);
    }
  }
  return words;
}
