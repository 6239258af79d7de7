import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import { answerDesk, type DeskFiles } from '../lib/http/desk.ts';

/** Reads the desk's files, which are beside this function's bundle. */
const read = async (): Promise<DeskFiles> =>
  JSON.parse(await readFile(join(process.env.LAMBDA_TASK_ROOT ?? '', 'desk.json'), 'utf8'));

let files: Promise<DeskFiles> | undefined;
type Event = Pick<APIGatewayProxyEvent, 'httpMethod' | 'pathParameters'>;

/** Answers the page of the desk and its files to everybody: they hold no data. */
export const handler = async ({ httpMethod, pathParameters }: Event) => {
  files ??= read();
  const found = answerDesk(await files, pathParameters?.file ?? '', process.env.RELEASES_ORIGIN);
  return httpMethod === 'HEAD' ? { ...found, body: '' } : found;
};
