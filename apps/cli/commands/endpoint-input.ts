import { InvalidArgumentError, Option } from 'commander';
import * as z from 'zod';
import type { Route } from '../../../lib/routes/route.ts';
import { copiedName } from '../../shared/copied-name.ts';
import { parseIdOf, parseResident, type ThingName } from '../terminal/input.ts';

/** Makes the arguments and options of a command from the path, the query and the body of an endpoint. */

/** How a person gives a field, where that differs from the schema. */
export interface Field {
  /** Such as `--for <resident>`, or `<product>` for an argument. By default `--name <name>`. */
  flags?: string;
  /** By default the text of the schema. */
  about?: string;
  /** Reads the text. If it returns a function, that function is called later, when the deployment's clock is known. */
  parse?: (text: string) => unknown;
  /** The value in examples that need the field. By default an id. */
  example?: string;
}

/** A value that a person gives: an argument, or an option. */
export interface Input {
  /** The name of the placeholder or field. */
  name: string;
  flags: string;
  about: string;
  parse: (text: string) => unknown;
  isNeeded: boolean;
  example?: string;
  choices?: readonly string[] | undefined;
}

export const isArgument = ({ flags }: Input): boolean => flags.startsWith('<');

/** The arguments for the placeholders of a path. */
export const pathInputs = ({ params }: Route, thing: ThingName | undefined): Input[] =>
  Object.keys(params.shape).map((name) => {
    if (name === 'identifier' || thing === undefined)
      return { name, flags: '<resident>', about: 'username or avatar UUID', parse: parseResident, isNeeded: true };
    const flags = name.endsWith('Id') ? `<${name.slice(0, -2)}>` : '<id>';
    return { name, flags, about: `UUID of the ${thing}`, parse: parseIdOf(thing), isNeeded: true };
  });

const takes = (schema: z.ZodType, value: unknown): boolean => schema.safeParse(value).success;

/** The allowed values, if the schema lists them; otherwise undefined. */
const choicesOf = (schema: z.ZodType): readonly string[] | undefined => {
  if (schema instanceof z.ZodEnum) return schema.options.map(String);
  return schema instanceof z.ZodOptional || schema instanceof z.ZodDefault
    ? choicesOf(schema.unwrap() as z.ZodType)
    : undefined;
};

/** Turns the API's text about a field, Markdown in whole sentences, into a text for the help. */
const aboutOf = ({ description = '' }: z.ZodType): string => {
  const text = description.replaceAll('`', '').replace(/^[A-Z](?=[a-z ])/, (letter) => letter.toLowerCase());
  return /\. /.test(text) ? text : text.replace(/\.$/, '');
};

/** The names of the fields that take an avatar. */
const namesPerson = /^(?:buyer|username|couponOwnerUuid|\w+Identifier)$/;

const fieldInput = (name: string, schema: z.ZodType, field: Field): Input => {
  const word = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const bySchema = (text: string): unknown => {
    const parsed = schema.safeParse(namesPerson.test(name) ? copiedName(text) : text);
    if (parsed.success) return parsed.data;
    throw new InvalidArgumentError(`It ${parsed.error.issues[0]?.message}.`);
  };
  return {
    name,
    flags: takes(schema, true) ? `--${word}` : `--${word} <${word}>`,
    about: aboutOf(schema),
    parse: bySchema,
    choices: choicesOf(schema),
    isNeeded: !takes(schema, undefined),
    ...field,
  };
};

/** The fields of query and body by name. Limit and cursor are left out, since a command has its own `--limit`. */
const fieldSchemas = ({ query, body }: Route): Record<string, z.ZodType> => {
  const { limit: _limit, cursor: _cursor, ...filters } = query.shape;
  return { ...filters, ...(body as z.ZodObject | undefined)?.shape } as Record<string, z.ZodType>;
};

/** The arguments and options for the fields of query and body. */
export const fieldInputs = (row: Route, fields: Readonly<Record<string, Field | undefined>>): Input[] =>
  Object.entries(fieldSchemas(row)).map(([name, schema]) => fieldInput(name, schema, fields[name] ?? {}));

/** The defaults of the fields that are left out. */
export const defaultsOf = (row: Route): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fieldSchemas(row)).flatMap(([name, schema]) => {
      const value = schema.safeParse(undefined).data;
      return value === undefined ? [] : [[name, value]];
    }),
  );

export const optionOf = ({ flags, about, parse, choices, isNeeded }: Input): Option => {
  const option = new Option(flags, about).makeOptionMandatory(isNeeded);
  if (choices) return option.choices(choices);
  return option.required ? option.argParser(parse) : option;
};

/** The values that a person gave, by the names of the inputs. */
export const valuesOf = (
  inputs: readonly Input[],
  options: Readonly<Record<string, unknown>>,
  args: readonly unknown[],
): Record<string, unknown> => {
  const left = [...args];
  return Object.fromEntries(
    inputs.flatMap((input) => {
      const given = isArgument(input) ? left.shift() : options[optionOf(input).attributeName()];
      return given === undefined ? [] : [[input.name, typeof given === 'function' ? given() : given]];
    }),
  );
};
