import { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** The least that a function with a table has to load: proof/bench/bundles.ts compares all others with it. */
export const handler = new DynamoDBClient({});
