import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { intercept } from './faults.ts';

/** The header that identifies a test's request among concurrent ones. */
export const requestTag = 'x-test-request';

interface Write {
  key: string;
  deletes: boolean;
}

// biome-ignore lint/suspicious/noExplicitAny: the inputs of all commands, looked at member by member.
type Input = any;

const keyOf = ({ Key, Item }: Input): string => {
  const { pk, sk } = Key ?? Item;
  return `${pk.S} ${sk.S}`;
};

const writesOf = (operation: string, input: Input): Write[] => {
  if (operation === 'TransactWriteItems')
    return input.TransactItems.flatMap((item: Input) =>
      Object.entries<Input>(item)
        .filter(([verb]) => verb !== 'ConditionCheck')
        .map(([verb, target]) => ({ key: keyOf(target), deletes: verb === 'Delete' })),
    );
  if (operation === 'BatchWriteItem')
    return Object.values<Input>(input.RequestItems)
      .flat()
      .map(({ PutRequest, DeleteRequest }) => ({
        key: keyOf(PutRequest ?? DeleteRequest),
        deletes: DeleteRequest !== undefined,
      }));
  return [{ key: keyOf(input), deletes: operation === 'DeleteItem' }];
};

/**
 * Records which request, by its tag, makes each write to the table, also the authorizer's writes. Returns a function
 * that lists the keys of the items that a request changed. The record of a refused request with an Idempotency-Key does
 * not count, since it is deleted again.
 */
export const watchWrites = () => {
  const current = new AsyncLocalStorage<Write[]>();
  const byTag = new Map<string, Write[]>();
  subscribe('http.server.request.start', (message) => {
    const tag = (message as { request: IncomingMessage }).request.headers[requestTag];
    const writes: Write[] = [];
    if (typeof tag === 'string') byTag.set(tag, writes);
    current.enterWith(writes);
  });
  intercept(async ({ operation, input, isWrite }, send) => {
    const answer = await send();
    if (isWrite) current.getStore()?.push(...writesOf(operation, input));
    return answer;
  });

  return (tag: string): string[] => {
    const writes = byTag.get(tag) ?? [];
    byTag.delete(tag);
    const last = new Map(writes.map(({ key, deletes }) => [key, deletes]));
    const passing = ([key, deletes]: [string, boolean]) => deletes && / ?\S+#REQUEST /.test(key);
    return [...last].filter((entry) => !passing(entry)).map(([key]) => key);
  };
};
