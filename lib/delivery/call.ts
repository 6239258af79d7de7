import { type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { AddressError, type CheckedAddress, checkAddress } from './address.ts';

/** The result of a call of a dispenser. `error` is for the operator who looks at the delivery. */
export type CallOutcome =
  | { kind: 'given' }
  /** Nobody answers at that address any more, or it may not be called. */
  | { kind: 'lost'; error: string }
  /** The dispenser refused the signature, and so gave nothing. Another try may succeed. */
  | { kind: 'unsigned'; error: string }
  /** Another try may succeed, but the item may have been given already. */
  | { kind: 'again'; error: string }
  /** The dispenser does not have the item, and refuses every further try. */
  | { kind: 'refused'; error: string };

const maxAnswerBytes = 4096;

/** The beginning of an answer. */
const readStart = async (response: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk.subarray(0, maxAnswerBytes - bytes));
      bytes += chunk.length;
      if (bytes >= maxAnswerBytes) break;
    }
  } catch {
    // The status has arrived, so a body that breaks off does not matter.
  }
  return Buffer.concat(chunks).toString('utf8');
};

/** An answer as a line of text that is safe to store and print. */
export const shown = (text: string): string =>
  text
    .replace(/[^\x20-\x7e]+/g, ' ')
    .trim()
    .slice(0, 200);

/** Tells whether the last call had a connection. Without one, the receiver cannot have read the request. */
export interface Connection {
  isMade: boolean;
}

/**
 * Sends one POST to the checked IP address, so a changed name has no effect. Follows no redirect, unpacks nothing, and
 * reads only the beginning of the answer. Notes in `connection` whether a connection was made.
 */
export const post = (
  { url, ip, family }: CheckedAddress,
  { body, headers }: { body: string; headers: Record<string, string> },
  signal: AbortSignal,
  connection: Connection = { isMade: false },
) =>
  new Promise<{ status: number; text: string; retryAfter: string | undefined }>((resolve, reject) => {
    let answered = false;
    connection.isMade = false;
    const isSecure = url.protocol === 'https:';
    const send = isSecure ? requestHttps : requestHttp;
    const request = send(
      url,
      {
        method: 'POST',
        // Each request makes its own connection: a kept one could belong to an address that an earlier check allowed.
        agent: false,
        lookup: (_host, { all }, done) => (all ? done(null, [{ address: ip, family }]) : done(null, ip, family)),
        signal,
        maxHeaderSize: 16_384,
        headers: {
          ...headers,
          'Content-Length': Buffer.byteLength(body),
          'Accept-Encoding': 'identity',
          'User-Agent': 'store-integration-service',
        },
      },
      (response) => {
        answered = true;
        readStart(response)
          .then(
            (text) => resolve({ status: response.statusCode ?? 0, text, retryAfter: response.headers['retry-after'] }),
            reject,
          )
          .finally(() => request.destroy());
      },
    );
    request.on('socket', (socket) =>
      socket.once(isSecure ? 'secureConnect' : 'connect', () => {
        connection.isMade = true;
      }),
    );
    request.on('error', (error) => {
      // If the time runs out during the body, the status still counts.
      if (!answered) reject(error);
    });
    request.end(body);
  });

const outcomeOf = (status: number, answer: string): CallOutcome => {
  const text = shown(answer);
  const error = `The dispenser answered ${status}${text && `: ${text}`}`;
  if (status >= 200 && status < 300) return { kind: 'given' };
  if (status === 404 || status === 410) return { kind: 'lost', error };
  // A redirect is an error of the dispenser, which may answer properly next time. A dispenser that refuses the
  // signature does not have the present secret yet. It gets the secret when it registers.
  if (status === 401) return { kind: 'unsigned', error };
  const final = status >= 400 && status < 500 && ![408, 429].includes(status);
  return { kind: final ? 'refused' : 'again', error };
};

/** Sends the first body, and the next one if the dispenser refuses the signature. */
const postSigned = async (
  address: CheckedAddress,
  [body = '', ...others]: readonly string[],
  signal: AbortSignal,
  connection: Connection,
): ReturnType<typeof post> => {
  const headers = { 'Content-Type': 'text/plain; charset=utf-8' };
  const answer = await post(address, { body, headers }, signal, connection);
  return answer.status === 401 && others.length > 0 ? postSigned(address, others, signal, connection) : answer;
};

/** Resolves or rejects with `work`, but no later than `signal`. */
export const until = <T>(signal: AbortSignal, work: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });

/**
 * Sends a request to a dispenser, and answers the status and the first 4 KiB of the text. `bodies` is one request,
 * signed with each valid secret: if the dispenser refuses a signature, the next body is sent. Throws AddressError for
 * an address that must not be called, or the failure of the call. Always ends with `signal`.
 */
export const askDispenser = async (
  url: string,
  bodies: readonly string[],
  signal: AbortSignal,
  connection: Connection = { isMade: false },
) => postSigned(await until(signal, checkAddress(url)), bodies, signal, connection);

/**
 * Calls a dispenser with a delivery. Never throws, and always ends within `timeoutMillis`. Notes in `connection`
 * whether a connection was made.
 */
export const callDispenser = async (
  url: string,
  bodies: readonly string[],
  timeoutMillis: number,
  connection: Connection = { isMade: false },
): Promise<CallOutcome> => {
  const signal = AbortSignal.timeout(timeoutMillis);
  try {
    const { status, text } = await askDispenser(url, bodies, signal, connection);
    return outcomeOf(status, text);
  } catch (error) {
    if (error instanceof AddressError) return { kind: 'lost', error: `The address was refused: ${error.message}` };
    const { code, message } = error as NodeJS.ErrnoException;
    return { kind: 'again', error: signal.aborted ? `No answer within ${timeoutMillis} ms` : String(code ?? message) };
  }
};
