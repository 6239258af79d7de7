import { type AnswerWithHeaders, headerValues, isOfScript } from './headers.ts';

/** The request headers that decide about the type of a problem, for `Vary`. */
export const problemTypeVary = 'Accept, X-SecondLife-Shard';

const quoted = /"(?:[^"\\]|\\.?)*"?/gs;

/** The media range in one element of an Accept header, without parameters; empty if its weight is 0. */
const rangeTaken = (element: string): string => {
  const [range = '', ...parameters] = element.split(';').map((part) => part.trim().toLowerCase());
  return parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter)) ? '' : range;
};

/**
 * The media type of a problem's answer. Scripts in the virtual world get no body with problem+json. So a script that
 * accepts `application/json`, and no range that includes problem+json, gets the same body as `application/json`.
 */
export const problemTypeOf = (event: AnswerWithHeaders): 'application/problem+json' | 'application/json' => {
  const elements = headerValues(event, 'accept').flatMap((line) => line.replace(quoted, '').split(','));
  const taken = new Set(elements.map(rangeTaken));
  const takesProblem = ['application/problem+json', 'application/*', '*/*'].some((range) => taken.has(range));
  return isOfScript(event) && taken.has('application/json') && !takesProblem
    ? 'application/json'
    : 'application/problem+json';
};
