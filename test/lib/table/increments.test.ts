import { afterEach, beforeEach, expect, test } from 'vitest';
import { handler } from '../../../functions/table-export.ts';
import { intercept, stopIntercepting } from '../../support/faults.ts';
import { logLines } from '../../support/log.ts';
import { freshTable, setClock } from '../../support/service.ts';

/** The hourly copy, with a DynamoDB that knows exports in the place of AWS's: no local engine does. */

const start = Date.parse('2028-02-29T12:00:30.500Z');
const minute = 60_000;
const hour = 60 * minute;

interface Asked {
  /** Undefined: a full export. */
  from: number | undefined;
  to: number;
  status: string;
}

let asked: Asked[];
let earliest: number;
let time: number;
/** The status of a new export when it is looked at first. */
let fate: string;

beforeEach(async () => {
  await freshTable();
  [asked, earliest, time, fate] = [[], start - 10 * 24 * hour, start, 'COMPLETED'];
  const own = { EXPORT_TABLE: 'arn:table/one', EXPORT_BUCKET: 'copies', EXPORT_PREFIX: 'prod' };
  Object.assign(process.env, own);
  const answer = (output: object) => ({ output: { ...output, $metadata: {} }, response: {} });
  intercept(async ({ operation, input }, send) => {
    if (operation === 'DescribeContinuousBackups') {
      const times = {
        EarliestRestorableDateTime: new Date(earliest),
        LatestRestorableDateTime: new Date(time - 5 * minute),
      };
      return answer({ ContinuousBackupsDescription: { PointInTimeRecoveryDescription: times } });
    }
    if (operation === 'DescribeExport') {
      const ExportStatus = asked[Number(input.ExportArn)]?.status;
      return answer({ ExportDescription: { ExportStatus, FailureMessage: 'AccessDenied' } });
    }
    if (operation !== 'ExportTableToPointInTime') return send();
    expect(input).toMatchObject({ S3Bucket: 'copies', S3Prefix: 'prod' });
    if (input.ExportType === 'FULL_EXPORT') {
      const to = input.ExportTime.getTime();
      expect(to).toBeGreaterThanOrEqual(earliest);
      expect(to).toBeLessThanOrEqual(time - 5 * minute);
      asked.push({ from: undefined, to, status: fate });
      return answer({ ExportDescription: { ExportArn: String(asked.length - 1) } });
    }
    const { ExportFromTime, ExportToTime } = input.IncrementalExportSpecification ?? {};
    const window = { from: ExportFromTime?.getTime() ?? 0, to: ExportToTime?.getTime() ?? 0 };
    expect(input.ExportType).toBe('INCREMENTAL_EXPORT');
    // As the documentation has it.
    expect(window.to - window.from).toBeGreaterThanOrEqual(15 * minute);
    expect(window.to - window.from).toBeLessThanOrEqual(24 * hour);
    expect([window.from % 1000, window.to % 1000]).toEqual([0, 0]);
    expect(window.from).toBeGreaterThanOrEqual(earliest);
    expect(window.to).toBeLessThanOrEqual(time - 5 * minute);
    asked.push({ ...window, status: fate });
    return answer({ ExportDescription: { ExportArn: String(asked.length - 1) } });
  });
});
afterEach(() => {
  stopIntercepting();
  for (const name of ['EXPORT_TABLE', 'EXPORT_BUCKET', 'EXPORT_PREFIX']) delete process.env[name];
});

const runAt = async (millis: number): Promise<void> => {
  time = millis;
  setClock(millis);
  await handler();
};

const completed = (): Asked[] => asked.filter(({ status }) => status === 'COMPLETED');

test('each increment begins where the last one ended, and the first one a day ago', async () => {
  for (let hours = 0; hours < 5; hours++) await runAt(start + hours * hour);

  expect(asked[0]?.from).toBe(Math.ceil((start - 24 * hour) / 1000) * 1000);
  for (const [index, { from }] of asked.entries()) if (index > 0) expect(from).toBe(asked[index - 1]?.to);
  expect(asked.map(({ from = 0, to }) => to - from).slice(2)).toEqual([hour, hour, hour]);
  expect(logLines.at(-1)).toMatchObject({ level: 'INFO', increment: { to: '2028-02-29T15:55:30.000Z' } });
});

test('no increment is asked for while one is under way, and one that failed is asked for again with what came since', async () => {
  await runAt(start);
  fate = 'IN_PROGRESS';
  await runAt(start + hour);
  await runAt(start + 2 * hour);
  const whileUnderWay = asked.length;
  Object.assign(asked[1] ?? {}, { status: 'FAILED' });
  fate = 'COMPLETED';

  await expect(runAt(start + 3 * hour)).rejects.toThrow('failed: AccessDenied');
  await runAt(start + 4 * hour);

  expect(whileUnderWay).toBe(2);
  const [first, second, third] = completed();
  expect([second?.from, third?.from]).toEqual([first?.to, second?.to]);
  expect(third?.to).toBe(Math.floor((start + 4 * hour - 5 * minute) / 1000) * 1000);
});

test('after three days without a call the increments catch up, a day each, without a hole', async () => {
  await runAt(start);
  const back = start + 72 * hour;
  for (let hours = 0; hours < 5; hours++) await runAt(back + hours * hour);

  for (const [index, { from }] of asked.entries()) if (index > 0) expect(from).toBe(asked[index - 1]?.to);
  expect(asked.at(-1)?.to).toBe(Math.floor((back + 4 * hour - 5 * minute) / 1000) * 1000);
});

test('a call that comes twice in a quarter of an hour asks for nothing', async () => {
  await runAt(start);
  await runAt(start + 10 * minute);

  expect(asked).toHaveLength(1);
  expect(logLines.at(-1)).toMatchObject({ increment: 'too early' });
});

/** The first hour's increment of a table, and then the switch to one that was restored from it two hours later. */
const switchTables = async (): Promise<void> => {
  earliest = start - hour;
  await runAt(start);
  process.env.EXPORT_TABLE = 'arn:table/restored';
  earliest = start + 2 * hour;
};

test('a new table begins with its own backups, and a restored one with a full export, from which increments lead on', async () => {
  await switchTables();

  for (const hours of [3, 4, 5]) await runAt(start + hours * hour);

  const [one, full, next, last] = asked;
  expect([one?.from, full?.from]).toEqual([start - hour + 500, undefined]);
  expect(full?.to).toBe(Math.floor((start + 3 * hour - 5 * minute) / 1000) * 1000);
  expect([next?.from, last?.from]).toEqual([full?.to, next?.to]);
  expect(asked).toHaveLength(4);
});

test('the full export of a restored table waits for its backups, is waited for, and is asked for again where it failed', async () => {
  await switchTables();
  fate = 'IN_PROGRESS';

  await runAt(earliest + minute);
  const tooEarly = asked.length;
  await runAt(start + 3 * hour);
  await runAt(start + 4 * hour);
  const whileUnderWay = asked.length;
  Object.assign(asked[1] ?? {}, { status: 'FAILED' });
  fate = 'COMPLETED';
  await expect(runAt(start + 5 * hour)).rejects.toThrow('The export from the beginning to');
  await runAt(start + 6 * hour);

  expect([tooEarly, whileUnderWay]).toEqual([1, 2]);
  expect(asked.slice(1).map(({ from }) => from)).toEqual([undefined, undefined, asked[2]?.to]);
});
