import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { answerDesk, type DeskFiles } from '../lib/http/desk.ts';

/** The desk's files lie beside this function's bundle. */
const read = async (): Promise<DeskFiles> =>
  JSON.parse(await readFile(join(process.env.LAMBDA_TASK_ROOT ?? '', 'desk.json'), 'utf8'));

let files: Promise<DeskFiles> | undefined;
let documentParts: readonly string[] | undefined;

type Event = Pick<APIGatewayProxyEvent, 'httpMethod' | 'pathParameters'> & {
  requestContext?: { domainName?: string | undefined; path: string };
};

/** Splits the OpenAPI document where the address belongs at which it is asked for, in the place of the local service's. */
const partsOf = (text: string): readonly string[] => {
  const document = JSON.parse(text);
  const [{ url }] = document.servers;
  return JSON.stringify({ ...document, servers: [{ url }] }).split(url);
};

const addressOf = ({ domainName, path }: NonNullable<Event['requestContext']>): string =>
  `https://${domainName}${path.replace(/\/desk\/openapi\.json$/, '')}`;

/** Answers the page of the desk and its files, and the OpenAPI document, to everybody: they hold no data of a store. */
export const handler = async ({ httpMethod, pathParameters, requestContext }: Event) => {
  files ??= read();
  const name = pathParameters?.file ?? '';
  const found = answerDesk(await files, name);
  if (httpMethod === 'HEAD') return { ...found, body: '' };
  if (name !== 'openapi.json' || !requestContext || found.statusCode !== 200) return found;
  documentParts ??= partsOf(found.body);
  return { ...found, body: documentParts.join(addressOf(requestContext)) };
};
