/** Turns names with a dot into nested objects: `a.b` = 1 becomes `{ a: { b: 1 } }`. */
export const nested = (flat: Iterable<readonly [name: string, value: unknown]>): Record<string, unknown> => {
  const deep: Record<string, Record<string, unknown>> = {};
  for (const [name, value] of flat) {
    const [outer = '', inner] = name.split('.');
    if (inner === undefined) Object.assign(deep, { [outer]: value });
    else deep[outer] = { ...deep[outer], [inner]: value };
  }
  return deep;
};
