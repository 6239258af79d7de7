interface WithHeaders {
  multiValueHeaders?: Record<string, string[] | undefined> | null;
}

/** All values of a header, whose name is given in lower case and may be sent in any. */
export const headerValues = ({ multiValueHeaders }: WithHeaders, name: string): string[] =>
  Object.entries(multiValueHeaders ?? {}).flatMap(([other, values = []]) =>
    other.toLowerCase() === name ? values : [],
  );
