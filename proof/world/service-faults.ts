import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import { GetQueueAttributesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { notSent } from '../../test/support/faults.ts';
import './service-clock.ts';

/**
 * The world loads this into the local service after proof/load/faults.ts: the service keeps the world's time, and its
 * stream and its queue stop while they are told to.
 */

const stopped = new Set<string>();
process.on('message', (message) => {
  const [what, word = ''] = String(message).split(' ');
  if (what === 'stop') stopped.add(word);
  if (what === 'go') stopped.delete(word);
});

const send = SQSClient.prototype.send as (...args: unknown[]) => Promise<unknown>;
const sendUnlessStopped = async function (this: SQSClient, ...args: unknown[]): Promise<unknown> {
  // The world itself asks how many messages there are.
  if (stopped.has('queue') && !(args[0] instanceof GetQueueAttributesCommand)) throw notSent();
  return send.apply(this, args);
};
SQSClient.prototype.send = sendUnlessStopped as typeof SQSClient.prototype.send;

// The reader of the stream calls the engine by node:http itself, under the names of the stream's operations.
const { request } = http;
http.request = ((endpoint: string, options: http.RequestOptions, ...rest: []) => {
  const target = String((options?.headers as http.OutgoingHttpHeaders | undefined)?.['X-Amz-Target']);
  const isStopped = stopped.has('stream') && target.startsWith('DynamoDBStreams_');
  // Nothing listens there.
  return request(isStopped ? 'http://127.0.0.1:1' : endpoint, options, ...rest);
}) as typeof http.request;
syncBuiltinESMExports();
