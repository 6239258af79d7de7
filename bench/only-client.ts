import { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** The least that a function with a table has to load: what bench/bundles.ts compares all others with. */
export const handler = new DynamoDBClient({});
