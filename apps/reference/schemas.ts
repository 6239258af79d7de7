import * as z from 'zod';

export type JsonSchema = z.core.JSONSchema.BaseSchema;

const refTo = (name: string): string => `#/components/schemas/${name}`;

const integers = (values: unknown): boolean => Array.isArray(values) && values.every(Number.isInteger);

/** Words that are beside the choices of a schema, rather than within one of them. */
const outside = ['description', 'default', 'examples'];

/** Writes null in one way, as a choice, at every depth: generators for some languages fail at a list of types. */
const spelled = <T>(schema: T): T => {
  if (Array.isArray(schema)) return schema.map(spelled) as T;
  if (typeof schema !== 'object' || schema === null) return schema;
  const members = Object.entries(schema).map(([name, value]) => [name, spelled(value)] as const);
  const { type } = schema as { type?: unknown };
  if (!Array.isArray(type) || type.length !== 2 || type[1] !== 'null') return Object.fromEntries(members) as T;
  const isOutside = ([name]: readonly [string, unknown]): boolean => outside.includes(name);
  const own = { ...Object.fromEntries(members.filter((one) => !isOutside(one))), type: type[0] };
  return { anyOf: [own, { type: 'null' }], ...Object.fromEntries(members.filter(isOutside)) } as T;
};

/** Corrects zod's JSON Schema if it says too much, or uses other words than the contract. */
const plain = ({ jsonSchema: schema }: { jsonSchema: JsonSchema }): void => {
  // A client must accept fields that a later version adds.
  delete schema.additionalProperties;
  // The bounds of JavaScript's whole numbers are not a rule of the contract.
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minLength === 0) delete schema.minLength;
  // The text says that null means the same as no value. Kubb takes this default for an object, which does not compile.
  if (schema.default === null) delete schema.default;
  if (schema.type === 'number' && integers(schema.enum)) schema.type = 'integer';
};

const withoutText = (name: string, { properties = {} }: JsonSchema): string[] =>
  Object.entries(properties).flatMap(([field, schema]) =>
    (schema as JsonSchema).description ? [] : [`${name}.${field}`],
  );

/** The named schemas: requests as they are sent, answers as they are received. Throws if a field has no text. */
export const schemaComponents = (): Record<string, JsonSchema> => {
  const components = (['input', 'output'] as const).flatMap((io) => {
    const { schemas } = z.toJSONSchema(z.globalRegistry, { io, uri: refTo, unrepresentable: 'any', override: plain });
    return Object.entries(schemas)
      .filter(([name]) => name.endsWith('Request') === (io === 'input'))
      .map(([name, { $schema: _, $id: __, id: ___, ...schema }]) => [name, spelled(schema) as JsonSchema] as const);
  });
  const silent = components.flatMap(([name, schema]) => withoutText(name, schema));
  if (silent.length > 0) throw new Error(`These fields need a text by .describe() in lib/routes: ${silent.join(', ')}`);
  // Sorted by name: the registry's order depends on the order in which modules were loaded.
  return Object.fromEntries(components.toSorted(([a], [b]) => (a < b ? -1 : 1)));
};

/** A reference to the schema of a body. Throws if the schema has no name. */
export const refOf = (schema: z.ZodType, of: string): { $ref: string } => {
  const name = schema.meta()?.id;
  if (name === undefined) throw new Error(`A schema of ${of} needs a name by .meta({ id }) in lib/routes.`);
  return { $ref: refTo(name) };
};

/** The schema of one value, without its description. */
export const convert = (schema: z.ZodType, io: 'input' | 'output'): JsonSchema => {
  const {
    $schema: _,
    description: __,
    ...converted
  } = z.toJSONSchema(schema, { io, unrepresentable: 'any', override: plain });
  return spelled(converted);
};

/** The schema of a path or query parameter: the type that its text stands for. Its description is beside it. */
export const parameterSchema = (schema: z.ZodType): JsonSchema => {
  const [sent, read] = [convert(schema, 'input'), convert(schema, 'output')];
  if (integers(read.enum) || read.type === 'integer') return read;
  if (sent.enum?.join() === 'true,false') return { type: 'boolean' };
  return sent;
};
