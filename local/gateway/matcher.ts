/** The row of a request, and the parameters of its path as the caller sent them. */
export interface Match<M> {
  row: M;
  params: Record<string, string>;
}

/** Finds the row of a request. Parameters stay percent-encoded, as API Gateway passes them on. */
export const matcher = <M extends { method: string; path: string }>(routes: readonly M[]) => {
  const rows = routes.map((row) => ({ row, segments: row.path.split('/') }));
  return (method: string, path: string): Match<M> | undefined => {
    const sent = path.split('/');
    const matches = rows.flatMap(({ row, segments }) => {
      if (row.method !== method || segments.length !== sent.length) return [];
      const params: Record<string, string> = {};
      const fits = segments.every((segment, index) => {
        const value = sent[index] ?? '';
        if (!segment.startsWith('{')) return segment === value;
        params[segment.slice(1, -1)] = value;
        return value !== '';
      });
      return fits ? [{ row, params }] : [];
    });
    // A fixed segment wins over a parameter, so the match with the fewest parameters comes first.
    return matches.sort((a, b) => Object.keys(a.params).length - Object.keys(b.params).length)[0];
  };
};
