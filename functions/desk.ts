import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { answerDesk, customerPage, type DeskFiles } from '../lib/http/desk.ts';

/** Reads the desk's files, which are beside this function's bundle. */
const read = async (): Promise<DeskFiles> =>
  JSON.parse(await readFile(join(process.env.LAMBDA_TASK_ROOT ?? '', 'desk.json'), 'utf8'));

let files: Promise<DeskFiles> | undefined;
type Event = Pick<APIGatewayProxyEvent, 'httpMethod' | 'resource' | 'pathParameters'>;

/** Answers the desk, the customer's page and their files to everybody: they hold no data. */
export const handler = async ({ httpMethod, resource, pathParameters }: Event) => {
  files ??= read();
  const name = resource === customerPage ? customerPage : (pathParameters?.file ?? '');
  const found = answerDesk(await files, name, process.env.RELEASES_ORIGIN);
  return httpMethod === 'HEAD' ? { ...found, body: '' } : found;
};
