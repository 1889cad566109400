import { expect, it } from 'vitest';
import { emptyPage } from '../command-page.ts';
import { guessTimeout } from './guess-running.ts';
import { parseOption } from '../help/parse-option.ts';

function guess(command: string, flag = '', about = ''): string | undefined {
  const option = parseOption(flag, about);
  return guessTimeout({ ...emptyPage(command.split(' ')), options: option === undefined ? [] : [option] });
}

it.for([
  'docker image pull',
  'npm install-ci-test',
  'aws s3 sync',
  'aws ec2 wait instance-running',
  'terraform apply',
  '/usr/bin/ffmpeg',
])('gives %s more time', (command) => {
  expect(guess(command)).toBe('15m');
});

it.for(['docker ps', 'gh run list', 'kubectl get', 'jq', 'install list', 'push'])(
  'leaves %s with the default',
  (command) => {
    expect(guess(command)).toBeUndefined();
  },
);

it('gives more time to commands that wait, but not to those that run until stopped', () => {
  expect(guess('kubectl delete', '--wait=true', 'If true, wait for resources to be gone')).toBe('15m');
  expect(guess('kubectl rollout status', '--timeout=0s', 'The length of time to wait before ending watch')).toBe('15m');
  expect(guess('tool status', '--timeout=30s', 'Of each request')).toBeUndefined();
  expect(guess('kubectl get', '--watch', 'After listing, wait for changes')).toBeUndefined();
});
