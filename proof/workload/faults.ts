/** Faults unless each of `expected` is there once, and nothing else. Each of `mayBe` may be there once too. */
export const onceEach = (
  what: string,
  expected: Iterable<string>,
  found: Iterable<string>,
  mayBe: ReadonlySet<string> = new Set(),
): string[] => {
  const counts = new Map<string, number>();
  for (const id of found) counts.set(id, (counts.get(id) ?? 0) + 1);
  const wanted = new Set(expected);
  return [
    ...[...wanted].flatMap((id) => (counts.has(id) ? [] : `${what} ${id} is lost`)),
    ...[...counts].flatMap(([id, count]) => (count > 1 ? `${what} ${id} is there ${count} times` : [])),
    ...[...counts.keys()].flatMap((id) =>
      wanted.has(id) || mayBe.has(id) ? [] : `${what} ${id} is there, and nobody asked for it`,
    ),
  ];
};

/** A fault for each member of a row that differs from what is known about it. */
export const fieldFaults = (
  what: string,
  row: Readonly<Record<string, unknown>> | undefined,
  known: object,
): string[] =>
  Object.entries(known)
    .filter(([name, value]) => row?.[name] !== value)
    .map(([name, value]) => {
      const [told, wanted] = [row?.[name], value].map((each) => JSON.stringify(each));
      return `${what}: ${name} is ${told}, but ${wanted} was acknowledged`;
    });
