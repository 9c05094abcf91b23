/** What a checker has found: which checker, and a sentence. */
export type Finding = { readonly checker: string; readonly sentence: string };
