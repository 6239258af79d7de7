import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Everything by which a build reaches the outside. Tests replace it. */
export interface Hands {
  /** Runs a program, and returns what it printed. Throws a RunError if it fails. */
  run: (command: string, args: readonly string[], options?: RunOptions) => Promise<string>;
  read: (path: string) => string;
  write: (path: string, text: string) => void;
  /** Writes a line into the log of the build, which everybody who may see the build can read. */
  say: (line: string) => void;
  wait: (millis: number) => Promise<unknown>;
  now: () => number;
}

interface RunOptions {
  /** Also shows the output in the log of the build. Only for programs that print no secret. */
  shown?: boolean;
}

/** A program that failed, with the end of what it wrote to standard error. */
class RunError extends Error {}

const lastCharacters = 10_000;

const run: Hands['run'] = async (command, args, { shown = false } = {}) => {
  const child = spawn(command, [...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [printed, told] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
    if (shown) process.stdout.write(text);
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    told += text;
    if (shown) process.stdout.write(text);
  });
  const [code] = await once(child, 'close');
  // A program that shows its output may explain its failure there.
  const words = (shown ? printed + told : told).trim();
  if (code !== 0) throw new RunError(words.slice(-lastCharacters) || `${command} ended with exit code ${code}.`);
  return printed;
};

export const ownHands: Hands = {
  run,
  read: (path) => readFileSync(path, 'utf8'),
  write: (path, text) => writeFileSync(path, text, { mode: 0o600 }),
  say: (line) => console.log(line),
  wait: sleep,
  now: Date.now,
};
