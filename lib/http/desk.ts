import { notFound, problemBody } from '../problem.ts';
import { answerHeaders } from './headers.ts';

/** The files of the desk and of the customer's page as texts, by name. The desk's own page has the empty name. */
export type DeskFiles = Record<string, string>;

/** The name of the customer's page, which is also its path: no file below `/desk/` has a slash. */
export const customerPage = '/me';

/** The name of the file with the licences of the packages in the bundles. */
export const noticesName = 'notices.txt';

/** They load their files by an address relative to their own, and are asked for each time. */
const pages = ['', customerPage];

/** True for the address of a texture service. `{uuid}` stands for the texture's UUID, in the path or the query. */
export const isTextureUrl = (text: string): boolean =>
  /^https:\/\/[a-z0-9.-]+(?::\d+)?\/[\w./?=&%~-]*\{uuid\}[\w./?=&%~-]*$/.test(text) && URL.canParse(text);

export const textureUrlWords =
  'must be an https address with {uuid} where the texture’s UUID goes, such as https://textures.example.com/{uuid}.png';

/**
 * The pages load and call only their own origin, except pictures from a texture service and calls to `alsoCalled`. They
 * run no script within, and no other page may frame them.
 */
const contentPolicy = (textureUrl: string, alsoCalled: string): string => {
  const pictures = textureUrl === '' ? 'data:' : `data: ${new URL(textureUrl).origin}`;
  return `default-src 'none'; script-src 'self'; style-src 'self'; img-src ${pictures}; connect-src ${`'self' ${alsoCalled}`.trim()}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
};

const types: Record<string, string> = { css: 'text/css', js: 'text/javascript', txt: 'text/plain' };

/**
 * The answer to a request for a page or a file that it loads, in the form of API Gateway. The name of a script or style
 * sheet holds a hash, so clients may keep the file. `alsoCalled` is a further origin that the pages may call.
 */
export const answerDesk = (files: DeskFiles, name: string, alsoCalled = '') => {
  const text = Object.hasOwn(files, name) ? files[name] : undefined;
  if (text === undefined) {
    const body = JSON.stringify(problemBody(notFound(), `/desk/${name}`));
    return { statusCode: 404, headers: { ...answerHeaders, 'Content-Type': 'application/problem+json' }, body };
  }
  const textureUrl = process.env.TEXTURE_URL ?? '';
  const headers = {
    ...answerHeaders,
    'Cache-Control': [...pages, noticesName].includes(name) ? 'no-cache' : 'public, max-age=31536000, immutable',
    'Content-Type': `${types[name.split('.').at(-1) ?? ''] ?? 'text/html'}; charset=utf-8`,
    'Content-Security-Policy': contentPolicy(textureUrl, alsoCalled),
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
    'Referrer-Policy': 'no-referrer',
  };
  const body = pages.includes(name) ? text.replace('{{textures}}', textureUrl) : text;
  return { statusCode: 200, headers, body };
};
