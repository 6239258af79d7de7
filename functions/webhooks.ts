import { serveTogether } from '../lib/http/shared-function.ts';
import * as rows from '../lib/routes/webhooks.ts';
import { handler as createWebhook } from './webhooks/create-webhook.ts';
import { handler as deleteWebhook } from './webhooks/delete-webhook.ts';
import { handler as getWebhook } from './webhooks/get-webhook.ts';
import { handler as listWebhookDeliveries } from './webhooks/list-webhook-deliveries.ts';
import { handler as listWebhooks } from './webhooks/list-webhooks.ts';
import { handler as rotateWebhookSecret } from './webhooks/rotate-webhook-secret.ts';
import { handler as testWebhook } from './webhooks/test-webhook.ts';
import { handler as updateWebhook } from './webhooks/update-webhook.ts';

export const handler = serveTogether(
  [rows.createWebhook, createWebhook],
  [rows.listWebhooks, listWebhooks],
  [rows.getWebhook, getWebhook],
  [rows.updateWebhook, updateWebhook],
  [rows.deleteWebhook, deleteWebhook],
  [rows.rotateWebhookSecret, rotateWebhookSecret],
  [rows.testWebhook, testWebhook],
  [rows.listWebhookDeliveries, listWebhookDeliveries],
);
