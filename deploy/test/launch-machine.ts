import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { atEnd } from '../../test/support/at-end.ts';
import { tempDir } from '../../test/support/files.ts';
import { order } from './launch-account.ts';
import { buildCommands } from './launch-file.ts';

/** A machine as CodeBuild gives it: a clean shell for the commands of launch.yaml. Some programs are stand-ins. */

export const writeProgram = (path: string, lines: string): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${lines}\n`);
  chmodSync(path, 0o755);
};

/** A program that runs in the test's process: it sends its arguments, its folder and its input there. */
export const standIn = (command: string): string => `
input=$(cat call.json 2>/dev/null)
answer=$(printf '%s\\0' "$PWD" "$#" "$@" "$input" | curl --silent --write-out '%{http_code}' --data-binary @- "\${STAND_IN}${command}")
case $answer in *200) printf '%s' "\${answer%???}"; exit 0 ;; esac
printf '%s\\n' "\${answer%???}" >&2
exit 1`;

/** A call of a stand-in. */
export interface ProgramCall {
  command: string;
  args: string[];
  cwd: string;
  input: string;
}

interface World {
  /** The folder with the files of releases. */
  releases: string;
  /** Answers with a program's output. Throws with its standard error. */
  run: (call: ProgramCall) => string | Promise<string>;
  /** Takes the AWS calls of programs that are not stand-ins. */
  callAws?: (request: IncomingMessage, response: ServerResponse) => unknown;
}

/** Answers stand-ins, and serves the files of releases. Returns its address. */
export const startWorld = async ({ releases, run, callAws }: World): Promise<string> => {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const url = request.url ?? '';
    if (request.headers.authorization?.startsWith('AWS4')) return void (await callAws?.(request, response));
    if (request.method === 'GET') {
      // Servers of releases have nothing at an address with two slashes.
      const path = url.includes('//') ? '' : join(releases, url);
      response.writeHead(existsSync(path) ? 200 : 404).end(existsSync(path) ? readFileSync(path) : '');
      return;
    }
    const [cwd = '', count, ...rest] = (await text(request)).split('\0');
    const args = rest.slice(0, Number(count));
    try {
      response.end(await run({ command: url.slice(1), args, cwd, input: rest[Number(count)] ?? '' }));
    } catch (error) {
      response.writeHead(500).end((error as Error).message);
    }
  };
  const server = createServer((request, response) => void answer(request, response).catch(() => response.destroy()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
};

interface Build {
  /** The address of `startWorld`. */
  world: string;
  /** The lines of a program `npm`, which stands for `npm ci`. */
  npm: string;
  variables?: Record<string, string>;
}

/** Runs the commands as a machine of CodeBuild does, with nothing of this process's environment. */
export const runBuild = async ({ world, npm, variables = {} }: Build) => {
  const dir = tempDir();
  writeProgram(join(dir, 'bin/aws'), standIn('aws'));
  writeProgram(join(dir, 'bin/npm'), npm);
  mkdirSync(join(dir, 'src'));
  const child = spawn(
    'bash',
    ['-c', `${buildCommands}\nbash -c 'echo "BASE_URL is $BASE_URL, DESK_URL is $DESK_URL"'`],
    {
      cwd: join(dir, 'src'),
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        PATH: `${dir}/bin:${dirname(process.execPath)}:/usr/bin:/bin`,
        STAND_IN: world,
        ACT: 'Create',
        RELEASE: '1.2.0',
        PLACE: `${world}VERSION/`,
        CHECKSUM: '',
        STORE_NAME: order.storeName,
        EMAIL: order.email,
        FIREWALL: 'yes',
        SETTINGS: '{}',
        AWS_REGION: order.region,
        LAUNCH: order.launch,
        RIGHTS: order.rights,
        EXPORTS: order.exports,
        OWN: 'none',
        ...variables,
      },
    },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (part) => (output += part));
  const [code] = await once(child, 'close');
  return { code, output, last: output.trimEnd().split('\n').at(-1) };
};
