import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, request as requestHttp, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { traceAttribute } from '../engines/poller.ts';
import { privateAddress } from '../engines/private.ts';
import type { Account } from './account.ts';
import { newConflicts } from './conflicts.ts';
import { type AccessRequest, doStatementsAllow, type Statement, tableUses } from './roles.ts';
import { pseudo } from './template.ts';

/** A function or person that calls AWS, with the statements of their role. */
interface Caller {
  name: string;
  statements: readonly Statement[];
}

/** A call, and whether it was allowed. */
export interface EngineCall extends AccessRequest {
  caller: string;
  isAllowed: boolean;
}

interface EngineOptions {
  /** The addresses of the real engines. */
  table: string;
  queue: string;
  /** Finds a caller by the id of its access key. */
  callerOf: (accessKeyId: string) => Caller | undefined;
  invoke: (name: string, payload: string, traces: readonly string[]) => Promise<{ payload: string; isError: boolean }>;
  /** Answers calls about the account by the operator, and calls of functions about the table's backups. */
  account?: Pick<Account, 'answer'>;
  /** A transaction holds its items for at least this time. */
  holdMillis: number;
  onUse?: (use: EngineCall) => void;
  /** Called with each event that a function puts on a bus of EventBridge. */
  onBusEvent?: (event: BusEvent) => void;
}

/** An event as EventBridge takes it. */
export interface BusEvent {
  EventBusName: string;
  Source: string;
  DetailType: string;
  Detail: string;
}

/** The operator's access key. Its owner may do everything. */
export const operatorKey = 'AKIAOPERATOR';
const operator: Caller = { name: 'the operator', statements: [{ Effect: 'Allow', Action: '*', Resource: '*' }] };

const agent = new Agent({ keepAlive: true });
const account = pseudo['AWS::AccountId'];
const region = pseudo['AWS::Region'];

// biome-ignore lint/suspicious/noExplicitAny: a call's body is looked at member by member.
type Body = any;

/** DynamoDB takes a table's ARN in place of its name. */
const arnOfTable = (name: string): string =>
  name.startsWith('arn:') ? name : `arn:aws:dynamodb:${region}:${account}:table/${name}`;

const tableAsked = (operation: string, body: Body): AccessRequest[] =>
  tableUses(operation, body).map(({ action, table, index, partitions }) => ({
    action: `dynamodb:${action}`,
    resource: `${arnOfTable(table)}${index ? `/index/${index}` : ''}`,
    context: { 'dynamodb:LeadingKeys': partitions },
  }));

/** IAM's action for an operation of SQS. Operations on batches need the action for one message. */
const queueAsked = (operation: string, { QueueUrl = '' }: Body): AccessRequest[] => [
  {
    action: `sqs:${operation.replace(/Batch$/, '')}`,
    resource: `arn:aws:sqs:${region}:${account}:${String(QueueUrl).split('/').at(-1)}`,
    context: {},
  },
];

const refuse = (
  response: ServerResponse,
  caller: string,
  { action, resource }: AccessRequest,
  status: number,
): void => {
  const message = `User: ${caller} is not authorized to perform: ${action} on resource: ${resource} because no identity-based policy allows the ${action} action`;
  response.writeHead(status, {
    'Content-Type': 'application/x-amz-json-1.0',
    'x-amzn-ErrorType': 'AccessDeniedException',
  });
  response.end(JSON.stringify({ __type: 'com.amazonaws#AccessDeniedException', Message: message, message }));
};

/** Passes a call to an engine. Passes its answer back when `before` has ended. */
const forward = async (
  to: string,
  request: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
  before: () => Promise<void> = async () => {},
): Promise<void> => {
  const { method = 'POST', url = '/', headers } = request;
  const sent = requestHttp(new URL(url, to), { agent, method, headers: { ...headers, 'content-length': body.length } });
  sent.end(body);
  const [answer] = (await once(sent, 'response').finally(before)) as [IncomingMessage];
  response.writeHead(answer.statusCode ?? 500, answer.headers);
  answer.pipe(response);
};

const accessKeyOf = ({ headers }: IncomingMessage): string =>
  /Credential=([^/]+)\//.exec(headers.authorization ?? '')?.[1] ?? '';

/**
 * Adds the trace header of the sending call to a message. It is an ordinary attribute, since fauxqs keeps no system
 * attributes.
 */
const withTrace = (body: Body, trace: string): Buffer => {
  for (const message of body.Entries ?? [body])
    message.MessageAttributes = {
      ...message.MessageAttributes,
      [traceAttribute]: { DataType: 'String', StringValue: trace },
    };
  return Buffer.from(JSON.stringify(body));
};

interface AwsCall {
  request: IncomingMessage;
  response: ServerResponse;
  raw: Buffer;
  operation: string;
}

const parseBody = ({ raw }: AwsCall): Body => JSON.parse(raw.toString('utf8'));

/**
 * Makes a function that asks a caller's role about a call. If the role refuses, it answers the request and returns
 * false.
 */
const asking =
  ({ callerOf, onUse }: EngineOptions) =>
  ({ request, response }: AwsCall, asked: AccessRequest[], status: number): boolean => {
    const key = accessKeyOf(request);
    const caller = key === operatorKey ? operator : callerOf(key);
    for (const each of asked) {
      const allowed = caller !== undefined && doStatementsAllow(caller.statements, each);
      onUse?.({ ...each, caller: caller?.name ?? 'nobody', isAllowed: allowed });
      if (allowed) continue;
      refuse(response, caller?.name ?? 'nobody', each, status);
      return false;
    }
    return true;
  };

type PermissionCheck = ReturnType<typeof asking>;

/** Answers a call about the account. Returns false for any other call. */
const tellAccount = async ({ account: told }: EngineOptions, { request, response, raw }: AwsCall): Promise<boolean> => {
  const target = String(request.headers['x-amz-target'] ?? '');
  const answer = await told?.answer({ path: request.url ?? '', target, body: raw.toString('utf8') });
  if (!answer) return false;
  response.writeHead(answer.status, { 'Content-Type': answer.type }).end(answer.body);
  return true;
};

const callTable = (options: EngineOptions, isPermitted: PermissionCheck) => {
  const conflictOf = newConflicts(options.holdMillis);
  return async (call: AwsCall): Promise<void> => {
    const { request, response, raw, operation } = call;
    const body = parseBody(call);
    if (!isPermitted(call, tableAsked(operation, body), 400) || (await tellAccount(options, call))) return;
    const conflict = conflictOf(operation, body);
    if (typeof conflict === 'function') return forward(options.table, request, raw, response, conflict);
    response.writeHead(400, { 'Content-Type': 'application/x-amz-json-1.0', 'x-amzn-ErrorType': conflict.error });
    response.end(JSON.stringify({ __type: `com.amazonaws.dynamodb.v20120810#${conflict.error}`, ...conflict.body }));
  };
};

const callQueue = async ({ queue }: EngineOptions, isPermitted: PermissionCheck, call: AwsCall): Promise<void> => {
  const { request, response, raw, operation } = call;
  const body = parseBody(call);
  if (!isPermitted(call, queueAsked(operation, body), 403)) return;
  const trace = request.headers['x-amzn-trace-id'];
  const isSent = operation.startsWith('SendMessage') && trace !== undefined;
  await forward(queue, request, isSent ? withTrace(body, String(trace)) : raw, response);
};

const callBus = ({ onBusEvent }: EngineOptions, isPermitted: PermissionCheck, call: AwsCall): void => {
  const { Entries } = JSON.parse(call.raw.toString('utf8')) as { Entries: BusEvent[] };
  const asked = Entries.map(({ EventBusName }) => ({
    action: `events:${call.operation}`,
    resource: `arn:aws:events:${region}:${account}:event-bus/${EventBusName}`,
    context: {},
  }));
  if (!isPermitted(call, asked, 400)) return;
  for (const entry of Entries) onBusEvent?.(entry);
  const answers = Entries.map(() => ({ EventId: crypto.randomUUID() }));
  call.response.writeHead(200, { 'Content-Type': 'application/x-amz-json-1.1' });
  call.response.end(JSON.stringify({ FailedEntryCount: 0, Entries: answers }));
};

const callFunction = async (
  { invoke }: EngineOptions,
  isPermitted: PermissionCheck,
  call: AwsCall,
  name: string,
): Promise<void> => {
  const { request, response, raw } = call;
  const resource = name.startsWith('arn:') ? name : `arn:aws:lambda:${region}:${account}:function:${name}`;
  if (!isPermitted(call, [{ action: 'lambda:InvokeFunction', resource, context: {} }], 403)) return;
  const trace = String(request.headers['x-amzn-trace-id'] ?? '');
  const { payload, isError } = await invoke(resource, raw.toString('utf8'), [trace]);
  response.writeHead(200, {
    'Content-Type': 'application/json',
    ...(isError && { 'X-Amz-Function-Error': 'Unhandled' }),
  });
  response.end(payload);
};

/** Passes each call to the part that stands for its AWS service. */
const answering = (options: EngineOptions) => {
  const isPermitted = asking(options);
  const ofTable = callTable(options, isPermitted);
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const raw = await buffer(request);
    const [target = '', operation = ''] = String(request.headers['x-amz-target'] ?? '').split('.');
    const call = { request, response, raw, operation };
    if (accessKeyOf(request) === operatorKey && (await tellAccount(options, call))) return;
    if (target.startsWith('DynamoDB')) return ofTable(call);
    if (target === 'AmazonSQS') return callQueue(options, isPermitted, call);
    if (target === 'AWSEvents') return callBus(options, isPermitted, call);
    const [, invoked] = /\/functions\/([^/]+)\/invocations$/.exec(request.url ?? '') ?? [];
    if (invoked) return callFunction(options, isPermitted, call, decodeURIComponent(invoked));
    throw new Error(`A function called ${request.headers.host}, which npm run deployed does not have.`);
  };
};

/**
 * Starts a server that stands for AWS before the engines of this machine. It knows each function by its access key, and
 * asks the function's role about every call, as IAM does. It does not check signatures.
 */
export const startEngines = async (options: EngineOptions) => {
  const answer = answering(options);
  const server = createServer((request, response) => {
    answer(request, response).catch((error: Error) => {
      if (response.headersSent) return response.destroy();
      const statuses: Record<string, number> = { TooManyRequestsException: 429, RecursiveInvocationException: 400 };
      response
        .writeHead(statuses[error.name] ?? 500, { 'x-amzn-ErrorType': error.name })
        .end(JSON.stringify({ __type: error.name, message: error.message }));
    });
  });
  // Functions close an idle connection only a second before Node.js would. On a busy machine that is too late.
  server.keepAliveTimeout = 600_000;
  const { host, port } = await privateAddress();
  server.listen(port, host);
  await once(server, 'listening');
  return {
    address: `${host}:${port}`,
    stop: (): void => {
      server.close();
      server.closeAllConnections();
    },
  };
};
