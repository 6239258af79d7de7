import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { freshConnections } from '../connections.ts';
import { count, refuseIfOver, requestMeter } from './meter.ts';

/** The name of this deployment's table. */
export const tableName = (): string => process.env.TABLE_NAME ?? 'store-integration-service';

interface Capacity {
  CapacityUnits?: number;
}

const unitsOf = ({ output }: { output: object }): number => {
  const { ConsumedCapacity = [] } = output as { ConsumedCapacity?: Capacity | Capacity[] };
  return [ConsumedCapacity].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
};

/** True if the SDK sent a call again, because the table was too busy for it. */
const wasBusy = (of: unknown): boolean =>
  ((of as { $metadata?: { attempts?: number } } | undefined)?.$metadata?.attempts ?? 1) > 1;

/**
 * The operator's command sets TABLE_PATIENCE before anything else. It may run for many minutes, perhaps over a home's
 * network, and has to outlast a slow moment. No caller waits for it as for an endpoint.
 */
export const isPatient = process.env.TABLE_PATIENCE === 'long';
const patience = isPatient ? 10 : 1;

const connect = (attempts: number): DynamoDBDocumentClient => {
  const { agents, closeIdle } = freshConnections();
  const client = new DynamoDBClient({
    maxAttempts: attempts,
    // Without `throwOnRequestTimeout` the SDK would only warn of a time-out and keep waiting.
    requestHandler: {
      connectionTimeout: patience * 3000,
      requestTimeout: patience * 5000,
      throwOnRequestTimeout: true,
      ...agents,
    },
  });
  // This middleware copies every input and answer for a logger that we do not set: a fifth of the work on a page of
  // 1,000 rows.
  client.middlewareStack.remove('loggerMiddleware');
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        Object.assign(args.input, { ReturnConsumedCapacity: 'INDEXES' });
        const { onUnits } = requestMeter() ?? {};
        const isWrite = /^(?:Put|Update|Delete|TransactWrite|BatchWrite)/.test(commandName);
        try {
          const answer = await count(() => next(args), unitsOf);
          await onUnits?.(unitsOf(answer), isWrite, wasBusy(answer.output));
          return answer;
        } catch (error) {
          if (wasBusy(error)) await onUnits?.(0, isWrite, true);
          throw error;
        }
      },
    { step: 'initialize', name: 'meter' },
  );
  // Checked before each attempt of a call: the SDK's own retries may come long after the request's time ran out.
  client.middlewareStack.add(
    (next) => async (args) => {
      refuseIfOver();
      closeIdle();
      return next(args);
    },
    { step: 'finalizeRequest', name: 'over' },
  );
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
};

/** The client for reads, which the SDK retries. */
export const db = connect(isPatient ? 8 : 3);

/** The client for writes. The SDK sends each once: lib/table/retry.ts decides which may be sent again. */
export const dbOnce = connect(1);
