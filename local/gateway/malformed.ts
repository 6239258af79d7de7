import type { Duplex } from 'node:stream';
import { gatewayAnswers, gatewayBody } from '../../infra/gateway-answers.ts';
import { newId } from '../../lib/clock.ts';
import { answerHeaders } from '../../lib/http/headers.ts';

/** The path in the request line, if there is one. */
const requestedPath = (packet: Buffer | undefined): string =>
  /^[A-Z]+ ([^\s?]+)/.exec(packet?.subarray(0, 2048).toString('latin1') ?? '')?.[1] ?? '';

/**
 * Answers malformed HTTP, such as a broken header or a body that ends too early, on the connection itself, and closes
 * it. Node's own answer would not be problem+json.
 */
export const answerMalformed = (error: { code?: string; rawPacket?: Buffer }, socket: Duplex): void => {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const answer = gatewayAnswers.DEFAULT_4XX;
  const body = JSON.stringify(gatewayBody(answer, requestedPath(error.rawPacket)));
  const head = [
    `HTTP/1.1 ${answer.status} Bad Request`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...Object.entries(answerHeaders).map(([name, value]) => `${name}: ${value}`),
    `X-Request-Id: ${newId()}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
};
