import { type RawAnswer, sendRaw } from '../../test/support/raw-http.ts';
import type { FuzzRequest } from '../../test/support/requests.ts';

const chunked = (body: string): string =>
  body === '' ? '0\r\n\r\n' : `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;

/** The headers with the length of a body, which may be wrong, and its bytes. */
const framed = (body: string, framing: FuzzRequest['framing']): [headers: [string, string][], bytes: string] => {
  const length = (bytes: number): [string, string] => ['Content-Length', String(bytes)];
  const chunks: [string, string] = ['Transfer-Encoding', 'chunked'];
  if (framing === 'chunked') return [[chunks], chunked(body)];
  if (framing === 'short') return [[length(body.length + 5)], body];
  if (framing === 'long') return [[length(Math.max(body.length - 1, 0))], body];
  if (framing === 'twice') return [[length(body.length), length(body.length + 1)], body];
  if (framing === 'both') return [[length(body.length), chunks], chunked(body)];
  return [[length(body.length)], body];
};

/** Sends a request whose fixtures are filled in, byte for byte. */
export const send = (port: number, request: FuzzRequest, tag: [string, string]): Promise<RawAnswer | undefined> => {
  const [framing, body] = request.body === undefined ? [[], ''] : framed(request.body, request.framing);
  const headers = [...request.headers, tag, ...framing].map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const bytes = Buffer.from(`${request.method} ${request.target} HTTP/1.1\r\n${headers}\r\n${body}`, 'latin1');
  return sendRaw(port, bytes, { halfClosed: request.framing === 'short' });
};
