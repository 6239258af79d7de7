import { notFound, problemBody } from '../problem.ts';
import { answerHeaders } from './headers.ts';

/** The desk's files as texts, by name. The page itself has the empty name. */
export type DeskFiles = Record<string, string>;

/** The licences of the packages that the desk is made with. */
export const noticesName = 'notices.txt';

/** The desk loads and calls its own origin only, runs nothing that stands in the page, and is in nobody's frame. */
const contentPolicy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const types: Record<string, string> = { css: 'text/css', js: 'text/javascript', txt: 'text/plain' };

/**
 * The answer to a request for a file of the desk, as API Gateway takes it. The name of a script or style sheet holds
 * its hash, so clients may keep it.
 */
export const answerDesk = (files: DeskFiles, name: string) => {
  const text = Object.hasOwn(files, name) ? files[name] : undefined;
  if (text === undefined) {
    const body = JSON.stringify(problemBody(notFound(), `/desk/${name}`));
    return { statusCode: 404, headers: { ...answerHeaders, 'Content-Type': 'application/problem+json' }, body };
  }
  const headers = {
    ...answerHeaders,
    'Cache-Control': ['', noticesName].includes(name) ? 'no-cache' : 'public, max-age=31536000, immutable',
    'Content-Type': `${types[name.split('.').at(-1) ?? ''] ?? 'text/html'}; charset=utf-8`,
    'Content-Security-Policy': contentPolicy,
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
  };
  return { statusCode: 200, headers, body: text };
};
