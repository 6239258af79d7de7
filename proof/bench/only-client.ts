import { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** The least that a function with a table must load. proof/bench/bundles.ts compares all other functions with it. */
export const handler = new DynamoDBClient({});
