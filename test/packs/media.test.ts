import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openPack, type OpenedPack } from './open-pack.test-helper.ts';
import { needs } from '../needs.test-helper.ts';

/** A folder with a second of sound and one of video, and a sound beside the folder. */
async function openMedia(): Promise<OpenedPack> {
  const pack = await openPack('ffmpeg');
  const make = (...args: string[]): void => {
    execFileSync('ffmpeg', ['-loglevel', 'error', '-f', 'lavfi', ...args], { cwd: pack.folder });
  };
  make('-i', 'sine=duration=1', 'a.wav');
  make('-i', 'testsrc=duration=1:size=64x48:rate=5', '-f', 'lavfi', '-i', 'sine=duration=1', '-shortest', 'v.mp4');
  make('-i', 'sine=duration=1', '../secret.wav');
  make('-i', 'sine=duration=1', '../secret.ts');
  return pack;
}

describe('the pack ffmpeg, with ffmpeg', needs('ffmpeg'), () => {
  it('looks into files, converts, cuts and resizes them', async () => {
    const { call, board } = await openMedia();
    const info = async (input: string): Promise<unknown> => (await board.call('media_info', { input })).data;
    expect(await info('v.mp4')).toMatchObject({
      streams: [{ codec_type: 'video', width: 64 }, { codec_type: 'audio' }],
    });
    for (const [tool, args] of [
      ['media_convert', { input: 'a.wav', output: 'a.mp3', audio_bitrate: '64k' }],
      ['media_cut', { input: 'a.wav', start: '0.2', duration: '0.5', output: 'part.wav' }],
      ['media_audio', { input: 'v.mp4', output: 'sound.wav', channels: 1, rate: 16_000 }],
      ['media_frame', { input: 'v.mp4', output: 'frame.png' }],
      ['media_resize', { input: 'v.mp4', width: 32, output: 'small.mp4' }],
      ['media_resize', { input: 'frame.png', width: 16, output: 'small.png' }],
    ] as const) {
      expect(await call(tool, args)).toBe('(no output)');
    }
    expect(await info('part.wav')).toMatchObject({ format: { duration: expect.stringMatching(/^0\.[45]/) } });
    expect(await info('sound.wav')).toMatchObject({ streams: [{ sample_rate: '16000', channels: 1 }] });
    expect(await info('small.mp4')).toMatchObject({ streams: [{ width: 32, height: 24 }, {}] });
    expect(await info('small.png')).toMatchObject({ streams: [{ width: 16 }] });
  });

  it.for([
    '../secret.wav',
    'concat:../secret.wav',
    'concat:a.wav|../secret.wav',
    'file:../secret.wav',
    'http://127.0.0.1:1/x.mp4',
    'subfile,,start,0,end,9,,:a.wav',
    'data:audio/wav;base64,AAAA',
    'pipe:0',
    '/dev/stdin',
    '-protocol_whitelist',
    'link.wav',
  ])('opens nothing but files of its folder: %s', async (input) => {
    const { call, folder } = await openMedia();
    symlinkSync('../secret.wav', join(folder, 'link.wav'));
    expect(await call('media_info', { input })).toMatch(/^invalid_arguments/);
    expect(await call('media_convert', { input, output: 'out.mp3' })).toMatch(/^invalid_arguments/);
    expect(await call('media_cut', { input, start: '0', duration: '1', output: 'out.wav' })).toMatch(
      /^invalid_arguments/,
    );
  });

  it.for([
    ['list.m3u8', '#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\n../secret.ts\n#EXT-X-ENDLIST\n', []],
    ['list.ffconcat', 'ffconcat version 1.0\nfile ../secret.wav\n', ['-safe', '0']],
    ['list.mp4', 'ffconcat version 1.0\nfile ../secret.wav\n', ['-safe', '0']],
  ] as const)('follows no list to other files: %s', async ([name, text, flags]) => {
    const { call, folder, write } = await openMedia();
    write(name, text);
    // ffmpeg itself follows it, so that the refusal means something.
    execFileSync('ffmpeg', ['-loglevel', 'error', ...flags, '-i', name, 'proof.wav'], { cwd: folder });
    expect(await call('media_info', { input: name })).toMatch(/^execution_failed/);
    expect(await call('media_convert', { input: name, output: 'out.wav' })).toMatch(/^execution_failed/);
    expect(existsSync(join(folder, 'out.wav'))).toBe(false);
  });

  it('writes new files of its folder alone', async () => {
    const { call, folder } = await openMedia();
    // The board keeps its record beside it.
    const siblings = (): string[] => readdirSync(join(folder, '..')).filter((name) => name !== 'data');
    const before = [readFileSync(join(folder, 'a.wav')), siblings()];
    expect(await call('media_convert', { input: 'v.mp4', output: 'a.wav' })).toMatch(/^execution_failed/);
    for (const output of [
      '../out.mp3',
      'tcp://127.0.0.1:1/x.mp3',
      'pipe:1',
      'list.m3u8',
      'x%d.png',
      'a.sh',
      '-y.mp3',
    ]) {
      expect(await call('media_convert', { input: 'a.wav', output })).toMatch(/^invalid_arguments/);
    }
    expect(await call('media_frame', { input: 'v.mp4', output: 'x%d.png' })).toMatch(/^invalid_arguments/);
    expect(
      await call('media_cut', { input: 'a.wav', start: '0 -i ../secret.wav', duration: '1', output: 'o.wav' }),
    ).toMatch(/^invalid_arguments/);
    expect([readFileSync(join(folder, 'a.wav')), siblings()]).toEqual(before);
  });
});
