/** Faults where not each of `expected` is there once, and nothing else. `mayBe` may be there once too. */
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
