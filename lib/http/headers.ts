/**
 * The headers of every answer, also of the gateway's own answers. They forbid clients to store the answer, to guess its
 * type, and to call again without TLS.
 */
export const answerHeaders = {
  'Cache-Control': 'no-store',
  'Strict-Transport-Security': 'max-age=31536000',
  'X-Content-Type-Options': 'nosniff',
} as const;

/** The headers of an event of API Gateway. */
export interface AnswerWithHeaders {
  multiValueHeaders?: Record<string, string[] | undefined> | null;
}

/** All values of a header. Its name is given in lower case and may be sent in any case. */
export const headerValues = ({ multiValueHeaders }: AnswerWithHeaders, name: string): string[] =>
  Object.entries(multiValueHeaders ?? {}).flatMap(([other, values = []]) =>
    other.toLowerCase() === name ? values : [],
  );

/** True for a request of a script: simulators add the header to every request, and web clients never send it. */
export const isOfScript = (event: AnswerWithHeaders): boolean => headerValues(event, 'x-secondlife-shard').length > 0;
