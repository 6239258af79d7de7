import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { answerDesk, type DeskFiles } from '../lib/http/desk.ts';

/** The desk's files lie beside this function's bundle. */
const read = async (): Promise<DeskFiles> =>
  JSON.parse(await readFile(join(process.env.LAMBDA_TASK_ROOT ?? '', 'desk.json'), 'utf8'));

let files: Promise<DeskFiles> | undefined;

type Event = Pick<APIGatewayProxyEvent, 'httpMethod' | 'pathParameters'> & {
  requestContext?: { domainName?: string | undefined; path: string };
};

/** The OpenAPI document with the address at which it was asked for, in the place of the local service's. */
const withAddress = (text: string, { domainName, path }: NonNullable<Event['requestContext']>): string => {
  const document = JSON.parse(text);
  const address = `https://${domainName}${path.replace(/\/desk\/openapi\.json$/, '')}`;
  const moved = JSON.parse(text.replaceAll(document.servers[0].url, address));
  return JSON.stringify({ ...moved, servers: [{ url: address }] });
};

/** Answers the page of the desk and its files, and the OpenAPI document, to everybody: they hold no data of a store. */
export const handler = async ({ httpMethod, pathParameters, requestContext }: Event) => {
  files ??= read();
  const name = pathParameters?.file ?? '';
  const found = answerDesk(await files, name);
  const moved = name === 'openapi.json' && requestContext && found.statusCode === 200;
  const answer = moved ? { ...found, body: withAddress(found.body, requestContext) } : found;
  return httpMethod === 'HEAD' ? { ...answer, body: '' } : answer;
};
