import type { OpenApiDocument, Operation, Parameter } from '../../reference/types.ts';

export interface ExampleRequest {
  operation: Operation;
  method: string;
  /** With the examples of its path and query parameters. */
  path: string;
  body: unknown;
}

const parametersIn = ({ parameters }: Operation, place: Parameter['in']): Parameter[] =>
  parameters.filter((parameter): parameter is Parameter => 'in' in parameter && parameter.in === place);

/** The requests that the examples of a document add up to, one for each operation. */
export const exampleRequests = ({ paths }: OpenApiDocument): ExampleRequest[] =>
  Object.entries(paths).flatMap(([template, operations]) =>
    Object.entries(operations).map(([method, operation]) => {
      const path = parametersIn(operation, 'path').reduce(
        (text, { name, example }) => text.replace(`{${name}}`, encodeURIComponent(String(example))),
        template,
      );
      const query = parametersIn(operation, 'query').flatMap(({ name, example }) =>
        example === undefined ? [] : [[name, String(example)]],
      );
      return {
        operation,
        method: method.toUpperCase(),
        path: query.length > 0 ? `${path}?${new URLSearchParams(query)}` : path,
        body: operation.requestBody?.content['application/json']?.example,
      };
    }),
  );
