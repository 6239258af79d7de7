import { connect } from 'node:net';

/** A parsed answer. Names of headers are in lower case. */
export interface RawAnswer {
  status: number;
  headers: Map<string, string[]>;
  body: string;
}

const parseAnswer = (bytes: Buffer): RawAnswer => {
  const end = bytes.indexOf('\r\n\r\n');
  // "100 Continue" and the like come before the answer.
  if (/^HTTP\/1.1 1/.test(bytes.toString('latin1', 0, 10))) return parseAnswer(bytes.subarray(end + 4));
  const [first = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const headers = new Map<string, string[]>();
  for (const line of lines) {
    const [name = '', value = ''] = line.split(/: ?(.*)/s);
    const key = name.toLowerCase();
    headers.set(key, [...(headers.get(key) ?? []), value]);
  }
  return { status: Number(first.split(' ')[1]), headers, body: bytes.subarray(end + 4).toString('utf8') };
};

/**
 * Sends bytes on a new connection and reads until the server closes it, so the request needs `Connection: close`.
 * `halfClosed` closes the sending side, which ends a request that is shorter than its Content-Length. Returns undefined
 * if the server closes the connection without an answer.
 */
export const sendRaw = async (
  port: number,
  bytes: Buffer,
  { halfClosed = false, timeoutMillis = 30_000 } = {},
): Promise<RawAnswer | undefined> => {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  const closed = new Promise((resolve) => socket.on('close', resolve));
  const chunks: Buffer[] = [];
  socket.on('data', (chunk) => chunks.push(chunk));
  // The server may refuse early and reset the connection while bytes are under way. The answer counts.
  socket.on('error', () => {});
  socket.setTimeout(timeoutMillis, () => socket.destroy());
  if (halfClosed) socket.end(bytes);
  else socket.write(bytes);
  await closed;
  return chunks.length > 0 ? parseAnswer(Buffer.concat(chunks)) : undefined;
};
