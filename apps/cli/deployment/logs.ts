import { globSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CloudWatchLogsClient, FilteredLogEvent } from '@aws-sdk/client-cloudwatch-logs';
import pMap from 'p-map';
import { now, timestamp } from '../../../lib/clock.ts';
import { functionFile, type Route } from '../../../lib/routes/route.ts';
import { routes } from '../../../lib/routes/routes.ts';
import { Failure, UsageError } from '../terminal/errors.ts';

/** The logs of a service: the requests of the local one, or the log groups of a stack in CloudWatch. */

/** A line of a log. */
export interface LogLine {
  at: string;
  /** The function that wrote it; undefined for a line of the gateway about a request. */
  function: string | undefined;
  /** The fields of a line that is a JSON object, or its text as `message`. */
  fields: Record<string, unknown>;
}

export interface LogQuery {
  /** ISO times. Without an end, all that there is. */
  since: string;
  until?: string | undefined;
  request?: string | undefined;
  /** The function's file under `functions/`, without its ending. */
  function?: string | undefined;
  /** A text that the line has. */
  filter?: string | undefined;
}

const isWanted = ({ since, until, request, filter, ...query }: LogQuery, { at, fields, ...line }: LogLine): boolean =>
  at >= since &&
  (until === undefined || at <= until) &&
  (request === undefined || JSON.stringify(fields).includes(request)) &&
  (query.function === undefined || query.function === line.function) &&
  (filter === undefined || JSON.stringify(fields).includes(filter));

/** Every function of the service, by its file under `functions/`. */
export const functionNames = (): string[] => {
  const cwd = new URL('../../../functions', import.meta.url).pathname;
  return globSync('**/*.ts', { cwd }).map((path) => path.replaceAll('\\', '/').replace(/\.ts$/, ''));
};

/** The function that serves the requests of a row of the route table. */
const serving = (isIt: (row: Route) => boolean): string | undefined => {
  const row = routes.find(isIt);
  return row && functionFile(row);
};

/** A request as the local service tells it, as far as it is shown. */
interface LocalRequest extends Record<'id' | 'time' | 'method' | 'url' | 'sent' | 'answer', string> {
  status: number;
  millis: number;
  calls?: number;
  units?: number;
  route?: string;
  key?: { name?: string; store?: string };
  /** Fields and parameters of the request that the endpoint does not know. */
  ignored?: string[];
}

const localLine = ({ id: requestId, time, route, key, ignored = [], ...request }: LocalRequest): LogLine => {
  const { method, url, status, millis, calls, units, sent, answer } = request;
  return {
    at: time,
    function: serving(({ id }) => id === route),
    fields: {
      requestId,
      method,
      url,
      status,
      millis,
      calls,
      units,
      key: key?.name,
      store: key?.store,
      ...(ignored.length > 0 && { ignored }),
      sent,
      answer,
    },
  };
};

/** The data of the events that a stream of server-sent events brings. */
async function* dataOf(body: ReadableStream<Uint8Array>): AsyncGenerator<{ requests?: LocalRequest[] }> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const bytes of body) {
    const frames = (rest + decoder.decode(bytes, { stream: true })).split('\n\n');
    rest = frames.pop() ?? '';
    for (const frame of frames) {
      const data = /^data: (.*)$/m.exec(frame)?.[1];
      if (data !== undefined) yield JSON.parse(data);
    }
  }
}

/**
 * The requests that the local service has answered, the last 200 first and then, while `follow` lasts, each as it
 * comes. A request that reached no function has none.
 */
export async function* localLogs(baseUrl: string, query: LogQuery, follow: AbortSignal | undefined) {
  const done = new AbortController();
  const signal = follow ? AbortSignal.any([follow, done.signal]) : done.signal;
  try {
    const { body } = await fetch(`${baseUrl}/_dev/events`, { signal });
    if (!body) throw new Failure('The local service sends no events. Start it again: npm start');
    for await (const { requests } of dataOf(body)) {
      if (requests) yield requests.map(localLine).filter((line) => isWanted(query, line));
      if (!follow) return;
    }
  } catch (error) {
    if (!follow?.aborted) throw error;
  } finally {
    done.abort();
  }
}

/** A log group, and the function that writes it; undefined for the gateway's. */
interface Group {
  name: string;
  function: string | undefined;
}

const letters = (text: string): string => text.replace(/[^a-z0-9]/gi, '').toLowerCase();

/**
 * The function to whose log the stack gave a logical id: the function's own id without signs, and the CDK's ending.
 * Undefined for the log of another resource.
 */
export const functionOfLog = (logicalId: string, names: readonly string[]): string | undefined => {
  const id = /^(.+?)Log(?:[0-9A-F]{8})?$/.exec(logicalId)?.[1];
  return id === undefined ? undefined : names.find((name) => letters(name) === letters(id));
};

/** The gateway's log of requests. */
export const isAccessLog = (logicalId: string): boolean => /AccessLog(?:[0-9A-F]{8})?$/.test(logicalId);

/** The log groups of a stack. Those nested in it have none. */
const groupsOf = async (StackName: string): Promise<Group[]> => {
  const { CloudFormationClient, paginateListStackResources } = await import('@aws-sdk/client-cloudformation');
  const client = new CloudFormationClient({});
  const names = functionNames();
  const groups: Group[] = [];
  for await (const { StackResourceSummaries = [] } of paginateListStackResources({ client }, { StackName }))
    for (const { ResourceType, LogicalResourceId = '', PhysicalResourceId: name } of StackResourceSummaries) {
      if (ResourceType !== 'AWS::Logs::LogGroup' || !name) continue;
      const writer = functionOfLog(LogicalResourceId, names);
      if (writer !== undefined || isAccessLog(LogicalResourceId)) groups.push({ name, function: writer });
    }
  return groups;
};

/** Lambda's own lines about an invocation that went well. */
const platform = /^(?:START|END|REPORT|INIT_START|XRAY) /;

const fieldsOf = (message: string): Record<string, unknown> => {
  try {
    const value: unknown = JSON.parse(message);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch {}
  return { message: message.trimEnd() };
};

interface FoundLine extends LogLine {
  id: string;
}

/** Reads the lines of a log group that CloudWatch finds. */
const read = async (client: CloudWatchLogsClient, group: Group, query: LogQuery): Promise<FoundLine[]> => {
  const { paginateFilterLogEvents } = await import('@aws-sdk/client-cloudwatch-logs');
  const { since, until, request, filter } = query;
  // A text in quotes is looked for as it stands.
  const patterns = [request, filter].flatMap((text) => (text === undefined ? [] : [JSON.stringify(text)]));
  const pages = paginateFilterLogEvents(
    { client },
    {
      logGroupName: group.name,
      startTime: Date.parse(since),
      ...(until !== undefined && { endTime: Date.parse(until) + 1 }),
      ...(patterns.length > 0 && { filterPattern: patterns.join(' ') }),
    },
  );
  const found: FoundLine[] = [];
  const add = ({ eventId = '', timestamp: at = 0, message = '' }: FilteredLogEvent): void => {
    if (!platform.test(message))
      found.push({ id: eventId, at: timestamp(at), function: group.function, fields: fieldsOf(message) });
  };
  for await (const { events = [] } of pages) for (const event of events) add(event);
  return found;
};

const unknownFunction = (name: string): UsageError =>
  new UsageError(`There is no log of a function ${name}. There are: ${functionNames().toSorted().join(', ')}.`);

/** Reads some groups side by side; the lines in the order of their times. */
const readAll = async (
  client: CloudWatchLogsClient,
  groups: readonly Group[],
  query: LogQuery,
): Promise<FoundLine[]> => {
  const found = await pMap(groups, (group) => read(client, group, query), { concurrency: 4 });
  return found.flat().sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
};

/**
 * The groups of a query: a function's, or the gateway's and, for one request, those of the functions that it reached.
 */
const groupsFor = async (client: CloudWatchLogsClient, all: readonly Group[], query: LogQuery): Promise<Group[]> => {
  const { request, function: name } = query;
  const some = all.filter((group) => group.function === name);
  if (some.length === 0) throw name ? unknownFunction(name) : new Failure('The stack has no log of requests.');
  if (name !== undefined || request === undefined) return some;
  const [line] = await readAll(client, some, query);
  const { method, route } = line?.fields ?? {};
  const reached = ['authorizer', serving((row) => row.method === method && row.path === route)];
  return [...some, ...all.filter((group) => group.function !== undefined && reached.includes(group.function))];
};

const pollMillis = 2000;

/** CloudWatch may show a line later than those written after it, by at most so much. */
const arrivalMillis = 30_000;

/** The lines of a deployment's logs, and then, while `follow` lasts, each as CloudWatch comes to have it. */
export async function* stageLogs(stage: string, query: LogQuery, follow: AbortSignal | undefined, pause = pollMillis) {
  const { CloudWatchLogsClient } = await import('@aws-sdk/client-cloudwatch-logs');
  const client = new CloudWatchLogsClient({});
  const groups = await groupsFor(client, await groupsOf(`store-integration-${stage}`), query);
  const seen = new Set<string>();
  let { since } = query;
  do {
    const found = await readAll(client, groups, { ...query, since });
    yield found.filter(({ id }) => !seen.has(id));
    for (const { id } of found) seen.add(id);
    const complete = timestamp(now() - arrivalMillis);
    if (complete > since) since = complete;
    if (follow) await sleep(pause, undefined, { signal: follow }).catch(() => undefined);
  } while (follow && !follow.aborted);
}
