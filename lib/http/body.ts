import httpJsonBodyParser from '@middy/http-json-body-parser';
import type { APIGatewayProxyEvent } from 'aws-lambda';

const maxBodyBytes = 256 * 1024;
const tooLarge = `The body must be at most ${maxBodyBytes / 1024} KiB.`;
const notObject = 'The body must be a JSON object.';
const notUtf8 = 'The body must be UTF-8 text without U+FFFD.';
const forbidden = 'The body must not have a member __proto__, nor a constructor with a prototype.';

/** API Gateway replaces bytes that are not UTF-8 by U+FFFD. */
const refuseReplacement = (key: string, value: unknown): unknown => {
  if (`${key}${typeof value === 'string' ? value : ''}`.includes('\ufffd')) throw new Error(notUtf8);
  return value;
};

// The contract takes a JSON body under any Content-Type.
const parser = httpJsonBodyParser({ disableContentTypeCheck: true, reviver: refuseReplacement });

/** The value of a JSON text. Throws Middy's error for anything else. */
const jsonOf = (text: string): unknown => {
  const event = { body: text };
  // The parser is not attached with Middy's `use`: its error would hide the faults of path and query.
  parser.before?.({ event } as never);
  return event.body;
};

/** The message for an error of Middy's parser, which keeps the message of an error that it wraps in `cause`. */
const explainFailure = (error: unknown): string => {
  const { message, cause } = error as { message: string; cause: { message?: string } };
  if (message === 'Forbidden key in JSON body') return forbidden;
  return cause.message === notUtf8 ? notUtf8 : notObject;
};

/** Reads the body as a JSON object. If it is none, answers undefined and adds a message to `faults`. */
export const readBody = (
  { body, isBase64Encoded }: APIGatewayProxyEvent,
  isOptional: boolean,
  faults: string[],
): object | undefined => {
  const text = isBase64Encoded ? Buffer.from(body ?? '', 'base64').toString() : (body ?? '');
  if (Buffer.byteLength(text) > maxBodyBytes) {
    faults.push(tooLarge);
    return undefined;
  }
  if (isOptional && text.trim() === '') return {};
  try {
    const value = jsonOf(text.replace(/^\ufeff/, ''));
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
    faults.push(notObject);
  } catch (error) {
    faults.push(explainFailure(error));
  }
  return undefined;
};
