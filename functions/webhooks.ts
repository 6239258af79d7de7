import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import * as rows from '../lib/routes/webhooks.ts';
import { handler as createWebhook } from './webhooks/create-webhook.ts';
import { handler as deleteWebhook } from './webhooks/delete-webhook.ts';
import { handler as getWebhook } from './webhooks/get-webhook.ts';
import { handler as listWebhookDeliveries } from './webhooks/list-webhook-deliveries.ts';
import { handler as listWebhooks } from './webhooks/list-webhooks.ts';
import { handler as rotateWebhookSecret } from './webhooks/rotate-webhook-secret.ts';
import { handler as testWebhook } from './webhooks/test-webhook.ts';
import { handler as updateWebhook } from './webhooks/update-webhook.ts';

const lineOf = ({ method, path }: { method: string; path: string }): string => `${method} ${path}`;

const handlers = new Map([
  [lineOf(rows.createWebhook), createWebhook],
  [lineOf(rows.listWebhooks), listWebhooks],
  [lineOf(rows.getWebhook), getWebhook],
  [lineOf(rows.updateWebhook), updateWebhook],
  [lineOf(rows.deleteWebhook), deleteWebhook],
  [lineOf(rows.rotateWebhookSecret), rotateWebhookSecret],
  [lineOf(rows.testWebhook), testWebhook],
  [lineOf(rows.listWebhookDeliveries), listWebhookDeliveries],
]);

/**
 * Serves all rows about webhooks on Lambda, since a stack has at most 500 resources. Locally each has its own function.
 */
export const handler = (event: APIGatewayProxyEvent, context: Context): Promise<APIGatewayProxyResult> => {
  const line = `${event.httpMethod} ${event.resource}`;
  const found = handlers.get(line);
  if (!found) throw new Error(`No endpoint of webhooks serves ${line}.`);
  return found(event, context);
};
