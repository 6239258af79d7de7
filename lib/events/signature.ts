import { createHmac } from 'node:crypto';

/** A message of Standard Webhooks 1.0. */
export interface SignedMessage {
  id: string;
  /** When it is sent, in seconds since 1970. */
  seconds: number;
  body: string;
}

/** The header `webhook-signature`: one signature for each secret (`whsec_` and Base64). */
export const signatureOf = ({ id, seconds, body }: SignedMessage, secrets: readonly string[]): string =>
  secrets
    .map((secret) => Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
    .map((key) => `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`)
    .join(' ');
