/** The version that a text names, or the JSON of package.json or of a release at GitHub, if it is a later one. */
export const laterIn = (text: string, version: string): string | undefined => {
  const [named = text] = /"(?:tag_name|version)":.*/.exec(text) ?? [];
  const [newest] = /\d+\.\d+\.\d+/.exec(named) ?? [];
  return newest?.localeCompare(version, undefined, { numeric: true }) === 1 ? newest : undefined;
};
