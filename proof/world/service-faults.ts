import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { GetQueueAttributesCommand, SendMessageBatchCommand, SendMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { notSent } from '../../test/support/faults.ts';
import './service-clock.ts';

/**
 * The world loads this into the local service after proof/load/faults.ts. The service then keeps the world's time. Its
 * stream, its queue and the queue's answers stop when they are told to. WORLD_PLANT names a fault to plant into its
 * code.
 */

const stopped = new Set<string>();
/** The number of calls without an answer. The answers of the queue stop until there is at least one. */
let waiting = 0;
let goesOn = false;
process.on('message', (message) => {
  const [what, word = ''] = String(message).split(' ');
  if (what === 'stop') stopped.add(word);
  if (what === 'go' && word === 'answers' && waiting === 0) goesOn = true;
  else if (what === 'go') stopped.delete(word);
});

const send = SQSClient.prototype.send as (...args: unknown[]) => Promise<unknown>;

/** A call without an answer. It ends only when its caller gives it up. */
const unanswered = (options?: { abortSignal?: AbortSignal }): Promise<never> => {
  waiting += 1;
  if (goesOn) stopped.delete('answers');
  return new Promise((_, reject) => options?.abortSignal?.addEventListener('abort', () => reject(notSent())));
};

const isSending = (command: unknown): boolean =>
  command instanceof SendMessageCommand || command instanceof SendMessageBatchCommand;

const sendUnlessStopped = async function (this: SQSClient, ...args: unknown[]): Promise<unknown> {
  if (stopped.has('answers') && isSending(args[0])) return unanswered(args[1] as { abortSignal?: AbortSignal });
  // The world itself asks how many messages there are.
  if (stopped.has('queue') && !(args[0] instanceof GetQueueAttributesCommand)) throw notSent();
  return send.apply(this, args);
};
SQSClient.prototype.send = sendUnlessStopped as typeof SQSClient.prototype.send;

// The reader of the stream calls the engine with node:http itself, with the names of the stream's operations.
const { request } = http;
http.request = ((endpoint: string, options: http.RequestOptions, ...rest: []) => {
  const target = String((options?.headers as http.OutgoingHttpHeaders | undefined)?.['X-Amz-Target']);
  const isStopped = stopped.has('stream') && target.startsWith('DynamoDBStreams_');
  // Nothing listens there.
  return request(isStopped ? 'http://127.0.0.1:1' : endpoint, options, ...rest);
}) as typeof http.request;
syncBuiltinESMExports();
