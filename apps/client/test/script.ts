import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type ClientOptions, storeClient } from '../client.ts';

type Answering = (response: ServerResponse) => void;

/** Serves these answers in turn, then the last one again; `asked` holds the requests. */
export const startScript = async (options: Partial<ClientOptions>, ...answers: Answering[]) => {
  const asked: { method: string | undefined; key: string | undefined }[] = [];
  const server = createServer((request, response) => {
    request.resume();
    asked.push({ method: request.method, key: request.headers['idempotency-key'] as string | undefined });
    (answers[asked.length - 1] ?? answers.at(-1))?.(response);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  const { port } = server.address() as AddressInfo;
  const at = storeClient({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'any', ...options });
  return { asked, at, close };
};

export const answering =
  (status: number, body?: object, headers: Record<string, string> = {}) =>
  (response: ServerResponse): void => {
    response.writeHead(status, headers).end(body && JSON.stringify(body));
  };
