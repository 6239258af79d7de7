import { type RawAnswer, sendRaw } from '../../test/support/raw-http.ts';
import type { FuzzRequest } from './requests.ts';

const chunked = (body: string): string =>
  body === '' ? '0\r\n\r\n' : `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;

/** The body, and the headers with its length, which may be wrong. */
const framed = ({ body, framing }: FuzzRequest): [headers: [string, string][], body: string] => {
  if (body === undefined) return [[], ''];
  const length = (bytes: number): [string, string] => ['Content-Length', String(bytes)];
  const chunks: [string, string] = ['Transfer-Encoding', 'chunked'];
  switch (framing) {
    case 'chunked':
      return [[chunks], chunked(body)];
    case 'short':
      return [[length(body.length + 5)], body];
    case 'long':
      return [[length(Math.max(body.length - 1, 0))], body];
    case 'twice':
      return [[length(body.length), length(body.length + 1)], body];
    case 'both':
      return [[length(body.length), chunks], chunked(body)];
    default:
      return [[length(body.length)], body];
  }
};

/** Sends a request whose fixtures are filled in, byte for byte. */
export const send = (port: number, request: FuzzRequest, tag: [string, string]): Promise<RawAnswer | undefined> => {
  const [framing, body] = framed(request);
  const headers = [...request.headers, tag, ...framing].map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const bytes = Buffer.from(`${request.method} ${request.target} HTTP/1.1\r\n${headers}\r\n${body}`, 'latin1');
  return sendRaw(port, bytes, { halfClosed: request.framing === 'short' });
};
