import type { CodeSample } from './samples.ts';
import type { JsonSchema } from './schemas.ts';

/** OpenAPI 3.1, as far as the document uses it. */

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description: string;
  schema: JsonSchema;
  example?: unknown;
}

export interface Content {
  schema: JsonSchema;
  example?: unknown;
}

export interface Response {
  description: string;
  headers: Record<string, { $ref: string }>;
  content?: Record<string, Content>;
}

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  security: Record<string, string[]>[];
  /** Missing if any live key may call it. */
  'x-required-scope'?: string;
  /** Beyond the contract: one of this service's own operations. */
  'x-extension'?: true;
  /** The method of the typed client, such as `customers.incrementCredit`. */
  'x-client-method': string;
  'x-codeSamples': CodeSample[];
  parameters: (Parameter | { $ref: string })[];
  requestBody?: { required: boolean; content: Record<string, Content> };
  responses: Record<string, Response | { $ref: string }>;
}

/** A message to the address of a webhook. */
export interface WebhookRequest {
  operationId: string;
  tags: string[];
  summary: string;
  security: [];
  parameters: Parameter[];
  requestBody: { required: true; content: Record<string, Content> };
  responses: Record<string, { description: string }>;
}

export interface OpenApiDocument {
  openapi: '3.1.0';
  info: Record<string, unknown>;
  servers: { url: string; description: string; variables?: Record<string, { default: string; description: string }> }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  webhooks: Record<string, { post: WebhookRequest }>;
  components: {
    schemas: Record<string, JsonSchema>;
    parameters: Record<string, Parameter>;
    headers: Record<string, { description: string; schema: JsonSchema; example?: unknown }>;
    responses: Record<string, Response>;
    securitySchemes: Record<string, Record<string, unknown>>;
  };
}
