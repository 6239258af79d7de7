/** The shapes of an icon on a ground of 24 by 24, each with its attributes: data of the package lucide. */
export type IconData = readonly (readonly [shape: string, attributes: Record<string, string>])[];
