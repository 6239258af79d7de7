import * as z from 'zod';
import { fieldTexts } from './field-texts.ts';
import type { FieldText } from './fields/common.ts';
import { requestSchemas, responseSchemas } from './names.ts';

export type JsonSchema = z.core.JSONSchema.BaseSchema;

const refTo = (name: string): string => `#/components/schemas/${name}`;

const integers = (values: unknown): boolean => Array.isArray(values) && values.every(Number.isInteger);

/** Says in JSON Schema what zod says in other words, or not at all. */
const plain = ({ jsonSchema: schema }: { jsonSchema: JsonSchema }): void => {
  // A client has to bear fields that a later version adds.
  delete schema.additionalProperties;
  // The bounds of any whole number in JavaScript are no rule of the contract.
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minLength === 0) delete schema.minLength;
  if (schema.type === 'number' && integers(schema.enum)) schema.type = 'integer';
};

/** Texts of the fields beside their types. Throws where a field has no text, or a text no field. */
const withTexts = (name: string, schema: JsonSchema, texts: Record<string, FieldText> = {}): JsonSchema => {
  const fields = Object.keys(schema.properties ?? {});
  const missing = fields.filter((field) => !(field in texts));
  const left = Object.keys(texts).filter((field) => !fields.includes(field));
  if (missing.length + left.length > 0)
    throw new Error(
      `reference/fields: ${name} lacks ${missing.join(', ') || 'nothing'}, has too many: ${left.join(', ') || 'none'}`,
    );
  const properties = Object.entries(schema.properties ?? {}).map(([field, type]) => {
    const text = texts[field] ?? '';
    return [field, { ...(type as JsonSchema), ...(typeof text === 'string' ? { description: text } : text) }];
  });
  return { ...schema, properties: Object.fromEntries(properties) };
};

const componentsOf = (schemas: Record<string, z.ZodType>, io: 'input' | 'output'): Record<string, JsonSchema> => {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(schemas)) registry.add(schema, { id });
  const { schemas: converted } = z.toJSONSchema(registry, { io, uri: refTo, override: plain });
  return Object.fromEntries(
    Object.entries(converted).map(([name, { $schema: _, $id: __, ...schema }]) => [
      name,
      withTexts(name, schema as JsonSchema, fieldTexts[name]),
    ]),
  );
};

/** The named schemas: requests as they are sent, answers as they are received. */
export const schemaComponents = (): Record<string, JsonSchema> => ({
  ...componentsOf(requestSchemas, 'input'),
  ...componentsOf(responseSchemas, 'output'),
});

const names = new Map(
  Object.entries({ ...requestSchemas, ...responseSchemas }).map(([name, schema]) => [schema, name]),
);

/** A reference to the named schema of a body. Throws where it has no name. */
export const refOf = (schema: z.ZodType, of: string): { $ref: string } => {
  const name = names.get(schema);
  if (name === undefined) throw new Error(`reference/names.ts has no name for a body of ${of}`);
  return { $ref: refTo(name) };
};

const convert = (schema: z.ZodType, io: 'input' | 'output'): JsonSchema => {
  const { $schema: _, ...converted } = z.toJSONSchema(schema, { io, unrepresentable: 'any', override: plain });
  return converted;
};

/** The schema of a path or query parameter: the type that its text stands for. */
export const parameterSchema = (schema: z.ZodType): JsonSchema => {
  const [sent, read] = [convert(schema, 'input'), convert(schema, 'output')];
  if (integers(read.enum) || read.type === 'integer') return read;
  if (sent.enum?.join() === 'true,false') return { type: 'boolean' };
  return sent;
};
