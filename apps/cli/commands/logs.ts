import { Option } from 'commander';
import { functionNames, type LogLine, type LogQuery, localLogs, stageLogs } from '../deployment/logs.ts';
import { connect, type GlobalOptions } from '../deployment/target.ts';
import type { StoreCommand } from '../terminal/command.ts';
import { UsageError } from '../terminal/errors.ts';
import { parseCount, parseStart, parseUntil } from '../terminal/input.ts';
import { untilInterrupted } from '../terminal/interrupt.ts';
import { grouped, isJson, jsonLine, note, paint, plain } from '../terminal/output.ts';

interface LogsOptions extends GlobalOptions {
  request?: string;
  function?: string;
  filter?: string;
  since: () => string;
  until?: () => string;
  limit: number;
  follow?: boolean;
}

const shownTime = (at: string): string => `${at.slice(0, 19).replace('T', ' ')}Z`;

const statusStyle = (status: number) => (status < 400 ? 'green' : status < 500 ? 'yellow' : 'red');

const shownFields = (fields: object): string =>
  Object.entries(fields)
    .filter(([, value]) => value !== undefined && value !== null && value !== '' && value !== '-')
    .map(([name, value]) => `${name}: ${plain(typeof value === 'string' ? value : JSON.stringify(value))}`)
    .join(', ');

/** The lines of an error's stack, below the line that has it. */
const shownStack = (stack: unknown): string =>
  typeof stack === 'string'
    ? stack
        .split('\n')
        .map((line) => `\n    ${plain(line)}`)
        .join('')
    : '';

/** A line about a request: of the gateway's log, or of the local service. */
const requestLine = ({ at, fields }: LogLine, details: boolean): string => {
  const {
    requestId,
    method,
    status,
    url,
    route,
    milliseconds,
    millis = milliseconds,
    sent,
    answer,
    ...others
  } = fields;
  const { time: _, ...rest } = others;
  const code = paint(statusStyle(Number(status)), String(status));
  const facts = [`${plain(String(millis))} ms`, shownFields(rest), plain(String(requestId))].filter(
    (text) => text !== '',
  );
  const where = `${plain(String(method)).padEnd(6)} ${plain(String(url ?? route))}`;
  const bodies = details && url !== undefined ? { sent, answer } : {};
  const shownBodies = Object.entries(bodies).flatMap(([name, text]) =>
    text === '' || text === undefined ? [] : [`\n    ${name}: ${plain(String(text))}`],
  );
  return `${paint('dim', shownTime(at))}  ${code}  ${where}  ${paint('dim', facts.join('  '))}${shownBodies.join('')}`;
};

const functionLine = ({ at, function: name = '', fields }: LogLine): string => {
  const { level, message, stack, ...rest } = fields;
  const kind = level === 'ERROR' ? paint('red', 'ERROR') : plain(String(level ?? 'TEXT')).padEnd(5);
  const text = [message === undefined ? '' : plain(String(message)), shownFields(rest)].filter((part) => part !== '');
  return `${paint('dim', shownTime(at))}  ${kind}  ${name}  ${text.join('  ')}${shownStack(stack)}`;
};

const printLine = (line: LogLine, details: boolean): void => {
  const { at, function: name, fields } = line;
  const isRequest = fields.method !== undefined;
  const text = isJson()
    ? jsonLine({ at, ...(name !== undefined && { function: name }), ...fields })
    : isRequest
      ? requestLine(line, details)
      : functionLine(line);
  process.stdout.write(`${text}\n`);
};

const logs = async (options: LogsOptions): Promise<void> => {
  const target = await connect(options);
  const { request, function: name, filter, limit } = options;
  if (name !== undefined && !functionNames().includes(name))
    throw new UsageError(`There is no function ${name}. There are: ${functionNames().toSorted().join(', ')}.`);
  const query: LogQuery = { since: options.since(), until: options.until?.(), request, function: name, filter };
  const interrupt = options.follow ? untilInterrupted() : undefined;
  const source = options.stage
    ? stageLogs(options.stage, query, interrupt?.signal)
    : localLogs(target.baseUrl, query, interrupt?.signal);
  let isFirst = true;
  let count = 0;
  for await (const lines of source) {
    const shown = isFirst ? lines.slice(-limit) : lines;
    if (shown.length < lines.length) note(`Earlier lines are not shown: ask for more with --limit ${limit * 10}.`);
    for (const line of shown) printLine(line, request !== undefined);
    if (isFirst && options.follow) note('Following the log. Ctrl-C ends this.');
    isFirst = false;
    count += shown.length;
  }
  interrupt?.release();
  const what = target.kind === 'local' ? 'The local service keeps its last 200 requests.' : 'Try a wider --since.';
  if (count === 0 && !isJson()) note(`No line since ${shownTime(query.since)}. ${what}`);
  else if (options.follow) note(`${grouped(count)} ${count === 1 ? 'line' : 'lines'}.`);
};

/** Adds `store logs`. */
export const addLogs = (program: StoreCommand): void => {
  program
    .command('logs')
    .description(
      'Shows the requests of all stores: of the local service, or from CloudWatch. With --function shows the log of one function of a deployment, with --request all about one request.',
    )
    .option('--request <id>', 'only this request: its X-Request-Id')
    .option('--function <name>', 'only requests of this function, or its own log; such as sales/create-sale')
    .option('--filter <text>', 'only lines that have this text, upper and lower case as given')
    .addOption(
      new Option('--since <when>', 'from then on: a duration ago (30m), a day (2027-12-31) or a time')
        .default(parseStart('1h'), '1h')
        .argParser(parseStart),
    )
    .addOption(new Option('--until <when>', 'up to then, in the same forms').argParser(parseUntil))
    .option('--limit <number>', 'how many at most, the newest', parseCount, 100)
    .option('-f, --follow', 'go on with new lines until Ctrl-C')
    .examples(
      'store logs',
      'store logs --request 0198c2f4-6a51-7c3e-9d2b-1f0e5a7c8b90',
      'store logs --stage prod --function sales/create-sale --since 2027-12-31 --filter ERROR',
      'store logs --follow --json',
    )
    .runs(logs);
};
