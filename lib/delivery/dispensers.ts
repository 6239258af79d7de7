import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { now, randomText, timestamp } from '../clock.ts';
import { refusedToFalse } from '../table/retry.ts';
import { db, findItem, partition, tableName } from '../table/table.ts';

/** A store's inworld dispenser, of which there is one. */
export interface Dispenser {
  /** Absent once nobody was found there, until it registers again. */
  url?: string;
  region: string;
  items: string[];
  /** Signs the requests to it. It must be known in full, so it cannot be kept as a hash. */
  secret: string;
  registeredAt: string;
  lostAt?: string;
  lostReason?: string;
}

export const dispenserKey = (store: string) => ({ pk: partition(store, 'DISPENSER'), sk: 'dispenser' });

/** Writes the dispenser's address. Its secret is made at the first time, and stays. */
export const registerDispenser = async (
  store: string,
  { url, region, items }: Pick<Dispenser, 'region' | 'items'> & { url: string },
): Promise<Dispenser & { url: string }> => {
  const { Attributes } = await db.send(
    new UpdateCommand({
      TableName: tableName(),
      Key: dispenserKey(store),
      UpdateExpression:
        'SET #url = :url, #region = :region, #items = :items, registeredAt = :at, #secret = if_not_exists(#secret, :secret) REMOVE lostAt, lostReason',
      ExpressionAttributeNames: { '#url': 'url', '#region': 'region', '#items': 'items', '#secret': 'secret' },
      ExpressionAttributeValues: {
        ':url': url,
        ':region': region,
        ':items': items,
        ':at': timestamp(now()),
        ':secret': randomText(43),
      },
      ReturnValues: 'ALL_NEW',
    }),
  );
  return Attributes as Dispenser & { url: string };
};

export const findDispenser = async (store: string): Promise<Dispenser | undefined> => {
  return findItem<Dispenser>(dispenserKey(store));
};

/** Notes that nobody is at `url` any more; an address that was registered since is left alone. */
export const loseAddress = async (store: string, url: string, reason: string): Promise<void> => {
  const update = new UpdateCommand({
    TableName: tableName(),
    Key: dispenserKey(store),
    UpdateExpression: 'REMOVE #url SET lostAt = :at, lostReason = :reason',
    ConditionExpression: '#url = :url',
    ExpressionAttributeNames: { '#url': 'url' },
    ExpressionAttributeValues: { ':url': url, ':at': timestamp(now()), ':reason': reason },
  });
  await refusedToFalse(() => db.send(update));
};
