interface WithHeaders {
  multiValueHeaders?: Record<string, string[] | undefined> | null;
}

/** Every value that a request has for a header, however its name is written. */
export const headerValues = ({ multiValueHeaders }: WithHeaders, name: string): string[] =>
  Object.entries(multiValueHeaders ?? {}).flatMap(([other, values = []]) =>
    other.toLowerCase() === name ? values : [],
  );
