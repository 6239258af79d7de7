/** A bug to plant: `to` replaces `from` in the function with this name, in this file. */
interface Planting {
  file: string;
  name: string;
  from: string;
  to: string;
}

/** The span of the declaration with this name at the top level of a file. */
const spanOf = (text: string, name: string): [start: number, end: number] => {
  const start = text.search(new RegExp(`^(?:export )?(?:async )?(?:const|function\\*?|class) ${name}\\b`, 'm'));
  const next = text.slice(start + 1).search(/^(?:\/\*\*|export |async |const |function|class |interface |type )/m);
  return start < 0 ? [0, 0] : [start, next < 0 ? text.length : start + 1 + next];
};

/** Words and strings. The dot before a name, and the character after it, decide whether the name is local. */
const words = /(\.)?([A-Za-z_$][\w$]*|'[^']*')(?=\s*([(:<])?)/g;
const keywords = /^(?:as|async|await|const|continue|else|false|for|if|new|null|of|return|throw|true|undefined)$/;

/** Replaces each name in a piece of code that may be a local variable. */
const withLocals = (
  code: string,
  replaceLocal: (name: string) => string,
  ofPlain = (plain: string) => plain,
): string => {
  let [out, end] = ['', 0];
  for (const { 0: whole, 1: dot = '', 2: word = '', 3: sign, index } of code.matchAll(words)) {
    const isLocal = dot === '' && sign === undefined && !word.startsWith("'") && !keywords.test(word);
    out += ofPlain(code.slice(end, index)) + (isLocal ? replaceLocal(word) : ofPlain(whole));
    end = index + whole.length;
  }
  return out + ofPlain(code.slice(end));
};

const escaped = (plain: string): string => plain.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\s+/g, '\\s+');

/**
 * The text of a file with its planted bug: in its function, at the one place that reads like `from`, whatever its local
 * variables are called.
 */
export const planted = ({ file, name, from, to }: Planting, text: string): string => {
  const [start, end] = spanOf(text, name);
  const scope = text.slice(start, end);
  const met = new Set<string>();
  const capture = (local: string): string => {
    if (met.has(local)) return `\\k<${local}>`;
    met.add(local);
    return `(?<${local}>[\\w$]+)`;
  };
  const places = [...scope.matchAll(new RegExp(withLocals(from, capture, escaped), 'g'))];
  const exact = scope.indexOf(from);
  const isOnce = exact >= 0 && exact === scope.lastIndexOf(from);
  const [place] = places;
  if (!isOnce && (!place || places.length > 1)) throw new Error(`${name} of ${file} must have once: ${from}`);
  const [at, old] = isOnce || !place ? [exact, from] : [place.index, place[0]];
  const planting = isOnce ? to : withLocals(to, (local) => place?.groups?.[local] ?? local);
  return text.slice(0, start + at) + planting + text.slice(start + at + old.length);
};
