import { type ChildProcess, spawn } from 'node:child_process';
import { expect, onTestFinished } from 'vitest';

/**
 * Runs a command on a terminal of its own (util-linux's `script` makes one), and types each answer once its question is
 * shown.
 */
export const onTerminal = async (
  words: readonly string[],
  answers: readonly [question: string, typed: string][] = [],
  env: NodeJS.ProcessEnv = process.env,
): Promise<string> => {
  const line = words.map((word) => `'${word}'`).join(' ');
  const child: ChildProcess = spawn('script', ['-qec', `stty cols 120 rows 40; ${line}`, '/dev/null'], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill());
  let shown = '';
  let asked = 0;
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
    const [question = '', typed = ''] = answers[asked] ?? [];
    if (question === '' || !shown.includes(question)) return;
    asked += 1;
    child.stdin?.write(typed);
  });
  await new Promise((resolve) => child.on('close', resolve));
  expect(asked).toBe(answers.length);
  return shown;
};
