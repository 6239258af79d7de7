import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { atEnd } from '../../../../test/support/at-end.ts';

const command = new URL('../../store.ts', import.meta.url).pathname;

/** Starts `store listen` in a process of its own, with what it prints so far. */
export const startListen = (args: readonly string[], env: Record<string, string>) => {
  const { PATH = '', NODE_COMPILE_CACHE = '' } = process.env;
  const child = spawn(process.execPath, [command, 'listen', ...args], { env: { PATH, NODE_COMPILE_CACHE, ...env } });
  const printed = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', (chunk) => {
      printed[name] += chunk;
    });
  const ended = once(child, 'close');
  atEnd(() => void child.kill('SIGKILL'));
  /** Waits until the output has the pattern. Answers what matched. */
  const until = async (pattern: RegExp, name: 'stdout' | 'stderr' = 'stdout'): Promise<RegExpMatchArray> => {
    for (;;) {
      const found = pattern.exec(printed[name]);
      if (found) return found;
      if (child.exitCode !== null || child.signalCode !== null)
        throw new Error(`It ended: ${printed.stdout}${printed.stderr}`);
      await Promise.race([once(child[name], 'data'), ended]);
    }
  };
  return {
    printed,
    until,
    /** Ends it as Ctrl-C does. Answers its exit code. */
    stop: async (): Promise<number | null> => {
      child.kill('SIGINT');
      await ended;
      return child.exitCode;
    },
  };
};

export interface Message {
  headers: IncomingHttpHeaders;
  body: string;
}

/**
 * Starts a program that gets messages, on a given port or a free one. It gives these answers, and then repeats the
 * last.
 */
export const startProgram = async (answers: number[] = [204], port = 0) => {
  const got: Message[] = [];
  const server = createServer(async (request, response) => {
    got.push({ headers: request.headers, body: await text(request) });
    response.writeHead((answers.length > 1 ? answers.shift() : answers[0]) ?? 204).end();
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const stop = (): void => void server.close().closeAllConnections();
  atEnd(stop);
  return { got, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, stop };
};
