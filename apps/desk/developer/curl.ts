import type { ShownRequest } from './live.ts';

/** Headers that curl or the connection makes itself, and headers that only browsers send. */
const isOwn = (name: string): boolean =>
  /^(?:host|connection|content-length|transfer-encoding|user-agent|accept-encoding|accept-language|origin|referer|sec-.*|priority|pragma|cache-control)$/.test(
    name,
  );

/** A word for a POSIX shell, which reads nothing in single quotes. */
const quote = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/**
 * The curl command that sends a request again unchanged, with its Idempotency-Key. `key` is the text of the API key;
 * the request has only its id. If the text is unknown, the command takes it from the variable API_KEY. Undefined for a
 * body that was not kept whole.
 */
export const curlOf = (
  { method, url, headers, hidden, body }: ShownRequest,
  base: string,
  key: string | undefined,
): string | undefined => {
  if (body === undefined) return undefined;
  const sent = headers.filter(([name, value]) => !isOwn(name) && !(name === 'accept' && value === '*/*'));
  const hasType = sent.some(([name]) => name === 'content-type');
  const parts = [
    // Without -g, curl would read brackets in an address as a pattern.
    `curl -g${method === 'GET' && body === '' ? '' : ` -X ${method}`} ${quote(base + url)}`,
    ...(hidden.includes('x-api-key')
      ? [`-H ${key === undefined ? '"X-API-Key: $API_KEY"' : quote(`X-API-Key: ${key}`)}`]
      : []),
    ...sent.map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    // Curl would add the type of a form.
    ...(body === '' ? [] : [...(hasType ? [] : [`-H 'content-type:'`]), `--data-raw ${quote(body)}`]),
  ];
  return parts.join(' \\\n  ');
};
