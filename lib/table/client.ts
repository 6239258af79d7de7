import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import type { Duplex } from 'node:stream';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { count, refuseIfOver } from './meter.ts';

/** The table of this deployment. */
export const tableName = (): string => process.env.TABLE_NAME ?? 'store-integration-service';

interface Capacity {
  CapacityUnits?: number;
}

const unitsOf = ({ output }: { output: object }): number => {
  const { ConsumedCapacity = [] } = output as { ConsumedCapacity?: Capacity | Capacity[] };
  return [ConsumedCapacity].flat().reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
};

/**
 * The operator's command sets this before anything else. Nobody waits for it as a caller waits for an endpoint, and a run
 * of many minutes, perhaps over a home's network, has to outlast a slow moment.
 */
export const isPatient = process.env.TABLE_PATIENCE === 'long';
const patience = isPatient ? 10 : 1;

/** As many connections as the SDK would open. */
const kept = { keepAlive: true, maxSockets: 50 };

/**
 * Lambda freezes a process between calls, and DynamoDB may close an idle connection meanwhile. A read over such a connection is
 * sent again, but a write is not, since it may have arrived: its caller would get a 500. So a connection that was idle for
 * longer than this is not used again. Node.js's own servers close one after five seconds.
 */
const idleMillis = 4000;

/** An agent, and a function that closes its idle connections where one has been so for too long. */
const withoutIdle = <T extends HttpAgent>(agent: T): { agent: T; closeIdle: () => void } => {
  // The time of the machine, which the other end knows too, and not that of the service.
  const idleSince = new WeakMap<Duplex, number>();
  agent.on('free', (socket: Duplex) => idleSince.set(socket, Date.now()));
  const isOld = (socket: Duplex): boolean => Date.now() - (idleSince.get(socket) ?? 0) > idleMillis;
  return {
    agent,
    closeIdle: () => {
      // The agent notices a closed connection only where those before it are closed too: so all are, or none.
      for (const sockets of Object.values(agent.freeSockets))
        if (sockets?.some(isOld)) for (const socket of [...sockets]) socket.destroy();
    },
  };
};

const connect = (attempts: number): DynamoDBDocumentClient => {
  const plain = withoutIdle(new HttpAgent(kept));
  const secure = withoutIdle(new HttpsAgent(kept));
  const client = new DynamoDBClient({
    maxAttempts: attempts,
    // Without throwing, the SDK would only warn of a timeout, and wait on.
    requestHandler: {
      connectionTimeout: patience * 3000,
      requestTimeout: patience * 5000,
      throwOnRequestTimeout: true,
      httpAgent: plain.agent,
      httpsAgent: secure.agent,
    },
  });
  // It copies every input and answer for a logger that is not there: a fifth of the work on a page of 1,000 rows.
  client.middlewareStack.remove('loggerMiddleware');
  client.middlewareStack.add(
    (next) => (args) => {
      Object.assign(args.input, { ReturnConsumedCapacity: 'INDEXES' });
      return count(() => next(args), unitsOf);
    },
    { step: 'initialize', name: 'meter' },
  );
  // Checked before each attempt of a call: the SDK's own retries may come long after the request's time ran out.
  client.middlewareStack.add(
    (next) => async (args) => {
      refuseIfOver();
      plain.closeIdle();
      secure.closeIdle();
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
