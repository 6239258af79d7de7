import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { handler } from '../../functions/event-bus.ts';
import { busSource } from '../../infra/stream.ts';
import { atEnd } from '../support/at-end.ts';
import { serve } from '../support/deliveries.ts';
import { creditEvents } from '../support/event-rows.ts';
import { logLines } from '../support/log.ts';
import { recordOf } from '../support/stream-records.ts';

interface Entry {
  EventBusName: string;
  Source: string;
  DetailType: string;
  Time: number;
  Detail: string;
}

const ada = '11111111-1111-1111-1111-111111111111';
const at = Date.parse('2027-03-01T12:00:00.000Z');
const recordsOf = (count: number) => creditEvents('Store1', ada, count, at).map((item) => recordOf(undefined, item));

/**
 * A stand-in for EventBridge: it answers each entry with the code that `refuse` gives, and takes entries without a
 * code.
 */
let refuse: (detail: { id: string }, call: number) => string | undefined = () => undefined;
let status = 200;
let calls: Entry[][] = [];
const taken = (): { id: string }[] => arrived.map(({ Detail }) => JSON.parse(Detail));
let arrived: Entry[] = [];

const url = await serve(async (request, response) => {
  const { Entries } = JSON.parse(await text(request)) as { Entries: Entry[] };
  expect(request.headers['x-amz-target']).toBe('AWSEvents.PutEvents');
  calls.push(Entries);
  const results = Entries.map((entry) => {
    const ErrorCode = refuse(JSON.parse(entry.Detail), calls.length);
    if (status === 200 && !ErrorCode) arrived.push(entry);
    return ErrorCode ? { ErrorCode, ErrorMessage: 'no' } : { EventId: 'any' };
  });
  response
    .writeHead(status, { 'Content-Type': 'application/x-amz-json-1.1' })
    .end(
      JSON.stringify(
        status === 200
          ? { FailedEntryCount: results.filter((one) => 'ErrorCode' in one).length, Entries: results }
          : { __type: 'ResourceNotFoundException', message: 'There is no such bus.' },
      ),
    );
});
const env = {
  AWS_ENDPOINT_URL_EVENTBRIDGE: url,
  EVENT_BUS: 'merchant',
  EVENT_SOURCE: 'store-integration-service.test',
};
Object.assign(process.env, env);
atEnd(() => {
  for (const name of Object.keys(env)) delete process.env[name];
});
afterEach(() => {
  [refuse, status, calls, arrived] = [() => undefined, 200, [], []];
});

test('puts an event on the bus as a CloudEvent 1.0, with the id and the data of the list of events', async () => {
  const [item] = creditEvents('Store1', ada, 1, at);

  const outcome = await handler({ Records: [recordOf(undefined, item)] });

  expect(outcome).toEqual({ batchItemFailures: [] });
  const [{ Detail, ...entry }] = arrived as [Entry];
  expect(entry).toEqual({
    ...{ EventBusName: 'merchant', Source: 'store-integration-service.test', DetailType: 'credit.changed' },
    Time: at / 1000,
  });
  expect(JSON.parse(Detail)).toEqual({
    ...{ specversion: '1.0', id: item?.sk, source: '/stores/Store1', type: 'credit.changed', subject: ada },
    ...{ time: '2027-03-01T12:00:00.000Z', datacontenttype: 'application/json', data: JSON.parse(item?.data ?? '') },
  });
});

test('sends at most ten events in a call, and only the refused ones again', async () => {
  const Records = recordsOf(busSource.batchSize);
  const third = Records[2]?.dynamodb?.Keys?.sk?.S;
  refuse = ({ id }, call) => (id === third && call < 3 ? 'ThrottlingException' : undefined);

  const outcome = await handler({ Records });

  expect(outcome).toEqual({ batchItemFailures: [] });
  expect(calls.map(({ length }) => length)).toEqual([10, 1, 1, 10, 10]);
  expect(
    taken()
      .map(({ id }) => id)
      .sort(),
  ).toEqual(Records.map(({ dynamodb }) => dynamodb?.Keys?.sk?.S).sort());
});

test('names the events that the bus does not take, so that Lambda brings them again, with the same ids', async () => {
  const Records = recordsOf(12);
  const lost = Records[4]?.dynamodb;
  refuse = ({ id }) => (id === lost?.Keys?.sk?.S ? 'InternalFailure' : undefined);

  const outcome = await handler({ Records });
  refuse = () => undefined;
  const again = await handler({ Records: Records.slice(4) });

  expect(outcome).toEqual({ batchItemFailures: [{ itemIdentifier: lost?.SequenceNumber }] });
  expect(again).toEqual({ batchItemFailures: [] });
  expect(new Set(taken().map(({ id }) => id)).size).toBe(12);
});

test('passes over an event that the bus will never take, and says so in the log', async () => {
  const Records = recordsOf(3);
  const bad = Records[1];
  refuse = ({ id }) => (id === bad?.dynamodb?.Keys?.sk?.S ? 'MalformedDetail' : undefined);

  const outcome = await handler({ Records });

  expect(outcome).toEqual({ batchItemFailures: [] });
  expect(calls).toHaveLength(1);
  expect(arrived).toHaveLength(2);
  expect(logLines).toContainEqual(
    expect.objectContaining({ level: 'ERROR', bus: 'refused', code: 'MalformedDetail', records: bad?.eventID }),
  );
});

test('brings the whole batch back where the bus does not exist', async () => {
  status = 400;
  const Records = recordsOf(2);

  const { batchItemFailures } = await handler({ Records });

  expect(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier)).toEqual(
    Records.map(({ dynamodb }) => dynamodb?.SequenceNumber),
  );
});

test('cuts calls by their size, since EventBridge takes 256 KiB in one', async () => {
  const [item] = creditEvents('Store1', ada, 1, at);
  const large = { ...item, data: JSON.stringify({ id: ada, note: 'x'.repeat(90_000) }) };

  await handler({ Records: [large, large, large].map((one) => recordOf(undefined, one as never)) });

  expect(calls.map(({ length }) => length)).toEqual([2, 1]);
});
