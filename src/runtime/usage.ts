/** Tokens and money of a turn. Null is unknown, which is never shown or counted as zero. */
export type Usage = { readonly tokens: number | null; readonly usd: number | null };

/** Nothing was reported. */
export const UNKNOWN_USAGE: Usage = { tokens: null, usd: null };
