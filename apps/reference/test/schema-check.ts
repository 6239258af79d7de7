import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { OpenApiDocument } from '../types.ts';

/** Closes every object schema, so that an undeclared field is a fault. */
const closed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, member]) => [key, closed(member)]);
  // A rule across fields has properties too, but names only some of the object's.
  const isWhole = 'type' in value && value.type === 'object';
  return { ...Object.fromEntries(entries), ...(isWhole && { additionalProperties: false }) };
};

/** Checks values against schemas of the document with an independent validator. Returns the faults. */
export const schemaChecker = ({ components }: OpenApiDocument) => {
  // A rule across fields requires fields that the object around it declares.
  const ajv = new Ajv2020({ allErrors: true, strict: true, strictTypes: false, strictRequired: false });
  addFormats.default(ajv);
  ajv.addVocabulary(['components', 'example']);
  ajv.addSchema({ $id: 'document', components: { schemas: closed(components.schemas) } }, 'document', false, false);
  return (schema: object, value: unknown): string[] => {
    const { $ref } = schema as { $ref?: string };
    const validate = $ref === undefined ? ajv.compile(schema) : ajv.getSchema(`document${$ref}`);
    if (!validate) throw new Error(`There is no schema ${$ref}.`);
    return validate(value)
      ? []
      : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
  };
};
