import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { readPreflight } from '../../../local/deployed/api.ts';
import { apiOf } from '../../support/stack.ts';

const preflightOf = (settings: Record<string, string>) => readPreflight(apiOf(settings).document);

const asked = (origin: string) => ({ headers: { origin } }) as unknown as IncomingMessage;

test('a preflight is answered as the template’s mock integration says: of several origins, that of the request', () => {
  const several = preflightOf({ corsOrigins: 'https://shop.example.com,https://www.example.com' });
  const all = preflightOf({ corsOrigins: '*' });
  const allowed = (answer: ReturnType<NonNullable<typeof several>> | undefined) => [
    answer?.statusCode,
    answer?.headers?.['Access-Control-Allow-Origin'],
  ];

  expect(allowed(several?.(asked('https://www.example.com')))).toEqual([204, 'https://www.example.com']);
  expect(allowed(several?.(asked('https://evil.example.com')))).toEqual([204, undefined]);
  expect(allowed(all?.(asked('https://any.example.com')))).toEqual([204, '*']);
  expect(preflightOf({})).toBeUndefined();
});
