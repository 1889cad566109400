import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { importBoard, type ImportedBoard } from './import-board.test-helper.ts';
import { needs } from '../needs.test-helper.ts';

type Line = readonly [line: string, tool: string, input: Record<string, unknown>];

const LINES: readonly Line[] = [
  ['ffmpeg -i in.mov out.mp4', 'ffmpeg', { input: ['in.mov'], outfile: ['out.mp4'] }],
  [
    'ffmpeg -y -hide_banner -i in.mov out.mp4',
    'ffmpeg',
    { y: true, hide_banner: true, input: ['in.mov'], outfile: ['out.mp4'] },
  ],
  ['ffmpeg -i in.mkv -c copy out.mp4', 'ffmpeg', { input: ['in.mkv'], c: 'copy', outfile: ['out.mp4'] }],
  [
    'ffmpeg -i in.mov -c:v libx264 -c:a aac -crf 23 -preset slow out.mp4',
    'ffmpeg',
    { input: ['in.mov'], c_by_stream: { v: 'libx264', a: 'aac' }, crf: 23, preset: 'slow', outfile: ['out.mp4'] },
  ],
  [
    'ffmpeg -ss 00:01:00 -i in.mp4 -t 10 out.mp4',
    'ffmpeg',
    { input_ss: '00:01:00', input: ['in.mp4'], t: '10', outfile: ['out.mp4'] },
  ],
  [
    'ffmpeg -i in.mp4 -to 00:00:30 -ss 00:00:10 out.mp4',
    'ffmpeg',
    { input: ['in.mp4'], ss: '00:00:10', to: '00:00:30', outfile: ['out.mp4'] },
  ],
  [
    'ffmpeg -i in.mp4 -vf scale=1280:-2 out.mp4',
    'ffmpeg',
    { input: ['in.mp4'], vf: 'scale=1280:-2', outfile: ['out.mp4'] },
  ],
  [
    'ffmpeg -i in.mp4 -vn -acodec libmp3lame out.mp3',
    'ffmpeg',
    { input: ['in.mp4'], vn: true, acodec: 'libmp3lame', outfile: ['out.mp3'] },
  ],
  ['ffmpeg -i in.mp4 -an out.mp4', 'ffmpeg', { input: ['in.mp4'], an: true, outfile: ['out.mp4'] }],
  [
    'ffmpeg -i in.wav -ar 16000 -ac 1 out.wav',
    'ffmpeg',
    { input: ['in.wav'], ar: '16000', ac: '1', outfile: ['out.wav'] },
  ],
  ['ffmpeg -i in.mp4 -r 24 out.mp4', 'ffmpeg', { input: ['in.mp4'], r: '24', outfile: ['out.mp4'] }],
  [
    'ffmpeg -i in.mp4 -frames:v 1 out.png',
    'ffmpeg',
    { input: ['in.mp4'], frames_by_stream: { v: '1' }, outfile: ['out.png'] },
  ],
  [
    'ffmpeg -i v.mp4 -i a.wav -map 0:v -map 1:a out.mp4',
    'ffmpeg',
    { input: ['v.mp4', 'a.wav'], map: ['0:v', '1:a'], outfile: ['out.mp4'] },
  ],
  [
    "ffmpeg -filter_complex '[0:v][1:v]hstack' -i a.mp4 -i b.mp4 out.mp4",
    'ffmpeg',
    { input: ['a.mp4', 'b.mp4'], filter_complex: '[0:v][1:v]hstack', outfile: ['out.mp4'] },
  ],
  [
    'ffmpeg -f concat -i list.txt -c copy out.mp4',
    'ffmpeg',
    { input_f: 'concat', input: ['list.txt'], c: 'copy', outfile: ['out.mp4'] },
  ],
  [
    'ffmpeg -i in.mp4 -b:v 1M -b:a 128k out.mp4',
    'ffmpeg',
    { input: ['in.mp4'], b_by_stream: { v: '1M', a: '128k' }, outfile: ['out.mp4'] },
  ],
  [
    "ffmpeg -i in.mp4 -metadata 'title=My film' out.mp4",
    'ffmpeg',
    { input: ['in.mp4'], metadata: { title: 'My film' }, outfile: ['out.mp4'] },
  ],
  [
    'ffmpeg -loglevel error -n -i in.mp4 out.gif',
    'ffmpeg',
    { loglevel: 'error', n: true, input: ['in.mp4'], outfile: ['out.gif'] },
  ],
  [
    'ffmpeg -i in.mp4 -movflags +faststart out.mp4',
    'ffmpeg',
    { input: ['in.mp4'], movflags: '+faststart', outfile: ['out.mp4'] },
  ],
  [
    'ffmpeg -stream_loop 2 -i in.mp4 -shortest -pix_fmt yuv420p out.mp4',
    'ffmpeg',
    { input_stream_loop: '2', input: ['in.mp4'], shortest: true, pix_fmt: 'yuv420p', outfile: ['out.mp4'] },
  ],
  ['ffprobe in.mp4', 'ffprobe', { input_file: 'in.mp4' }],
  [
    'ffprobe -v error -print_format json -show_format -show_streams in.mp4',
    'ffprobe',
    { v: 'error', print_format: 'json', show_format: true, show_streams: true, input_file: 'in.mp4' },
  ],
  [
    'ffprobe -select_streams v:0 -show_entries stream=width in.mp4',
    'ffprobe',
    { select_streams: 'v:0', show_entries: 'stream=width', input_file: 'in.mp4' },
  ],
];

describe('import of ffmpeg', needs('ffmpeg', 'ffmpeg-manual'), () => {
  const boards = new Map<string, ImportedBoard>();
  const of = (tool: string): ImportedBoard => {
    const board = boards.get(tool);
    if (board === undefined) throw new Error(`"${tool}" was not imported.`);
    return board;
  };
  beforeAll(async () => {
    for (const tool of ['ffmpeg', 'ffprobe']) boards.set(tool, await importBoard([tool]));
  }, 600_000);
  afterAll(async () => {
    for (const board of boards.values()) await board.close();
  });

  it('says what is meant by a name that it does not have', async () => {
    const { text } = await of('ffmpeg').board.call('ffmpeg', { input: ['a.mp4'], outfile: ['b.mp4'], 'c:v': 'copy' });
    expect(text).toContain('- c:v: is not a known argument. Send "c_by_stream": {"v": …} for that.\n');
  });

  it.each(LINES)('%s', async (line, tool, input) => {
    expect(await of(tool).lineOf(tool, input)).toBe(line);
  });

  it('makes a film and looks at it', async () => {
    const { board, folder } = of('ffmpeg');
    const made = await board.call('ffmpeg', {
      loglevel: 'error',
      y: true,
      input_f: 'lavfi',
      input: ['testsrc=size=64x48:rate=5:duration=1'],
      c_by_stream: { v: 'mpeg4' },
      outfile: ['a.mp4'],
    });
    expect(made).toMatchObject({ ok: true });
    const seen = await of('ffprobe').board.call('ffprobe', {
      v: 'error',
      print_format: 'json',
      show_entries: 'stream=width,height',
      input_file: `${folder}/a.mp4`,
    });
    expect(JSON.parse(seen.text)).toMatchObject({ streams: [{ width: 64, height: 48 }] });
  });
});

describe('import of ffmpeg from its help alone', needs('ffmpeg'), () => {
  it('puts inputs before the options of outputs', async () => {
    const imported = await importBoard(['ffmpeg'], { manual: [] });
    expect(
      await imported.lineOf('ffmpeg', {
        y: true,
        input: ['a.mov'],
        input_ss: '5',
        vf: 'scale=640:-2',
        outfile: ['b.mp4'],
      }),
    ).toBe('ffmpeg -y -ss 5 -i a.mov -vf scale=640:-2 b.mp4');
    await imported.close();
  });
});
