import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A text, and the key by which it is sorted. */
export interface PlacedText {
  place: string;
  text: string;
}

const byPlace = (a: PlacedText, b: PlacedText): number => (a.place < b.place ? -1 : a.place > b.place ? 1 : 0);

async function* readRun(path: string): AsyncGenerator<PlacedText> {
  const file = await open(path);
  for await (const line of file.readLines()) yield JSON.parse(line);
}

/**
 * Yields texts ordered by their places. Texts with the same place keep their order. Keeps at most `atOnce` texts in
 * memory, and the others in temporary files that only their owner may read.
 */
export async function* sorted(texts: AsyncIterable<PlacedText>, atOnce = 50_000): AsyncGenerator<string> {
  const dir = await mkdtemp(join(tmpdir(), 'store-sorted-'));
  try {
    const runs: string[] = [];
    let some: PlacedText[] = [];
    for await (const one of texts) {
      if (some.push(one) < atOnce) continue;
      const path = join(dir, String(runs.length));
      await writeFile(
        path,
        some.sort(byPlace).map((each) => `${JSON.stringify(each)}\n`),
      );
      runs.push(path);
      some = [];
    }
    const inMemory = some.sort(byPlace).values();
    const sources = [...runs.map(readRun), inMemory];
    const heads = await Promise.all(sources.map((source) => source.next()));
    for (;;) {
      // If places are equal, the text of the earlier file comes first.
      const left = heads.flatMap(({ value, done }, source) => (done ? [] : [{ ...(value as PlacedText), source }]));
      const first = left.reduce<(typeof left)[number] | undefined>(
        (best, each) => (best && byPlace(best, each) <= 0 ? best : each),
        undefined,
      );
      if (!first) return;
      yield first.text;
      heads[first.source] = (await sources[first.source]?.next()) as IteratorResult<PlacedText>;
    }
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}
