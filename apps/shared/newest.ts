/** The version in the JSON of package.json or of a release at GitHub. Any other text stays. */
const namedIn = (text: string): string => {
  try {
    const { tag_name, version } = JSON.parse(text);
    return String(tag_name ?? version);
  } catch {
    return text.trimStart();
  }
};

/** The version at the beginning of a text, or in the JSON of package.json or of a release at GitHub. */
export const newestIn = (text: string): string | undefined => /^v?(\d+\.\d+\.\d+)/.exec(namedIn(text))?.[1];

/** Says whether a version is later than another one. */
export const isLater = (version: string, than: string): boolean =>
  version.localeCompare(than, undefined, { numeric: true }) > 0;
